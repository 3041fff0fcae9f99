import { type Abstract, type DynamicModule, Module, type ValueProvider } from '@nestjs/common';
import { ApiKeys, Budgets } from '#access';
import { AllDeliveries, Deliveries, EventStreams, SessionExport, SessionLog } from '#delivery';
import { EventLog } from '#event-log';
import { Extractor } from '#extraction';
import { Logger, Clock, Metrics, Random } from '#platform';
import {
  ActionQueries,
  UsageQueries,
  History,
  MessagePages,
  RunQueries,
  SessionQueries,
  SessionsAsOf,
  TaskQueries,
} from '#read-models';
import {
  ActionCommands,
  EraseSession,
  ForkSession,
  ContextsAsOf,
  ConversationCommands,
  JointDecisions,
  ReplayPlanner,
  RetryPlanner,
  SessionCommands,
  Sessions,
  TaskCommands,
  TaskPauses,
} from '#runs';
import { ProofReader, Receipts } from '#sealer';
import { ContentStore } from '#vault';
import { Authenticator } from '../edge/admission/authenticator.js';
import { AnswerRoom } from '../edge/answers/answer-room.js';
import { OpenStreams } from '../edge/answers/socket-sink.js';
import { ConsoleCookie } from '../edge/admission/console-cookie.js';
import { PublicAddress } from '../edge/public-address.js';
import { HealthChecks } from '../edge/probes/health-checks.js';
import { datastoreProviders } from '../features/datastores/datastore-providers.js';
import { ConsoleTerms } from '../features/console-auth/console-terms.js';
import { KeyEnd } from '../features/keys/key-end.js';
import { ProofTerms } from '../features/proof/proof-terms.js';
import { RunSurroundings } from '../features/runs/run-command.js';
import { RunSubmission } from '../features/runs/run-submission.js';
import { RequestEgress } from '../features/runs/shared/request-egress.js';
import { ErasureLimits } from '../features/sessions/sessions.controller.js';
import { PausedKeyEnd } from './open-task-clock.js';
import { ServiceHealth } from './service-health.js';
import type { Service } from './service.js';

/** What openService put together, each part under its class, for the features to inject. */
@Module({})
export class ServiceModule {
  static of(service: Service): DynamicModule {
    const { knowledge, uploads, maxUploadBytes } = service;
    const providers = [
      ...portsOf(service),
      ...runsOf(service),
      ...listsOf(service),
      ...datastoreProviders(knowledge, uploads, maxUploadBytes),
      value(Extractor, knowledge.extractor),
      { provide: KeyEnd, useClass: PausedKeyEnd },
    ];
    return { module: ServiceModule, providers, exports: providers };
  }
}

const portsOf = (service: Service): readonly ValueProvider[] => [
  value(EventLog, service.log),
  value(ContentStore, service.core.contents),
  value(Clock, service.clock),
  value(Random, service.random),
  value(Logger, service.logger),
  value(Metrics, service.observability.metrics),
  value(ApiKeys, service.apiKeys),
  value(Authenticator, service.apiKeys),
  value(Receipts, service.proof.receipts),
  value(ProofReader, service.proof.reader),
  value(ProofTerms, new ProofTerms(service.proof.isPublic, service.proof.policy)),
  value(HealthChecks, new ServiceHealth(service)),
  value(AnswerRoom, service.answerRoom),
  value(EventStreams, service.streams),
  value(SessionLog, service.sessionLog),
  value(SessionExport, service.sessionExport),
  value(OpenStreams, service.openStreams),
  value(PublicAddress, service.address),
  value(ConsoleCookie, service.consoleCookie),
  value(ConsoleTerms, service.consoleTerms),
  value(Deliveries, service.deliveries),
  value(AllDeliveries, new AllDeliveries(service.deliveries, service.readModels.callbacks)),
];

const runsOf = ({ core, ...service }: Service): readonly ValueProvider[] => [
  value(RunSubmission, service.runSubmission),
  value(RunSurroundings, service.surroundings),
  value(RequestEgress, service.surroundings.egress),
  value(Sessions, core.sessions),
  value(SessionCommands, core.commands),
  value(RetryPlanner, core.retries),
  value(ReplayPlanner, core.replays),
  value(ForkSession, core.forks),
  value(ConversationCommands, core.conversations),
  value(ContextsAsOf, core.contexts),
  value(ActionCommands, service.actions),
  value(JointDecisions, core.joint(service.actions)),
  value(TaskCommands, core.tasks),
  value(TaskPauses, service.taskPauses),
  value(EraseSession, service.eraseSession),
  value(ErasureLimits, new ErasureLimits(service.keyBackupDays)),
];

const listsOf = ({ readModels, budgets }: Service): readonly ValueProvider[] => [
  value(RunQueries, readModels.runs),
  value(SessionQueries, readModels.sessions),
  value(SessionsAsOf, readModels.sessionsAsOf),
  value(TaskQueries, readModels.tasks),
  value(ActionQueries, readModels.actions),
  value(UsageQueries, readModels.usage),
  value(Budgets, budgets),
  value(History, readModels.history),
  value(MessagePages, readModels.messagePages),
];

const value = <T>(provide: Abstract<T>, useValue: NoInfer<T>): ValueProvider<T> => ({ provide, useValue });
