import { type DynamicModule, Module } from '@nestjs/common';
import { Deliveries, EventStreams } from '#delivery';
import { Metrics } from '#platform';
import { RunQueries, SessionQueries, TaskQueries } from '#read-models';
import { ApiKeys } from '#access';
import { EraseSession, SessionCommands, Sessions, TaskCommands } from '#runs';
import { DATASTORE_CONTROLLERS, datastoreProviders } from './features/datastores/datastore-providers.js';
import { DeliveriesController } from './features/deliveries/deliveries.controller.js';
import { ApiKeysController } from './features/keys/api-keys.controller.js';
import { TokensController } from './features/keys/tokens.controller.js';
import { Authenticator } from './edge/admission/authenticator.js';
import { KeyEnd } from './features/keys/key-end.js';
import { PageAnswers } from './edge/answers/page-answers.js';
import { HealthChecks } from './edge/probes/health-checks.js';
import { HealthController } from './features/health/health.controller.js';
import { OpenApiController } from './features/docs/openapi.controller.js';
import { MetricsController } from './features/metrics/metrics.controller.js';
import { AgentController } from './features/runs/agent.controller.js';
import { EventAnswers } from './features/runs/shared/event-answers.js';
import { HistoryAnswers } from './features/runs/history-answers.js';
import { RunDoor } from './features/runs/run-door.js';
import { RunSurroundings } from './features/runs/run-command.js';
import { RunAnswers } from './features/runs/shared/run-answers.js';
import { RunPlaces } from './features/runs/shared/run-places.js';
import { RunsController } from './features/runs/runs.controller.js';
import { ErasureLimits, SessionsController } from './features/sessions/sessions.controller.js';
import type { Service } from './compose/service.js';
import { PausedKeyEnd } from './compose/open-task-clock.js';
import { TasksController } from './features/tasks/tasks.controller.js';
import { ServiceHealth } from './compose/service-health.js';

/** What takes requests. */
const DOORS = [
  AgentController,
  RunsController,
  DeliveriesController,
  TasksController,
  SessionsController,
  ...DATASTORE_CONTROLLERS,
  ApiKeysController,
  TokensController,
  OpenApiController,
];

/** The doors of the house: Nest connects the controllers with what openService put together. */
@Module({})
export class AppModule {
  static of({
    core,
    runDoor,
    apiKeys,
    taskPauses,
    readModels,
    fatal,
    replicas,
    hasApi,
    streams,
    answers,
    largeAnswers,
    log,
    deliveries,
    eraseSession,
    keyBackupDays,
    kafka,
    knowledge,
    surroundings,
    uploads,
    maxUploadBytes,
    observability: { metrics },
    logger,
  }: Service): DynamicModule {
    const values: readonly (readonly [unknown, unknown])[] = [
      [RunDoor, runDoor],
      [SessionCommands, core.commands],
      [Sessions, core.sessions],
      [EraseSession, eraseSession],
      [ErasureLimits, new ErasureLimits(keyBackupDays)],
      [ApiKeys, apiKeys],
      [Authenticator, apiKeys],
      [KeyEnd, new PausedKeyEnd(taskPauses, logger)],
      [
        HistoryAnswers,
        new HistoryAnswers(readModels.history, largeAnswers, { log, contents: core.contents }),
      ],
      [RunQueries, readModels.runs],
      [SessionQueries, readModels.sessions],
      [EventStreams, streams],
      [RunAnswers, answers],
      [RunPlaces, new RunPlaces(core.sessions, readModels.runs, log)],
      [EventAnswers, new EventAnswers(streams, answers, largeAnswers)],
      [RunSurroundings, surroundings],
      [Deliveries, deliveries],
      [PageAnswers, new PageAnswers(largeAnswers)],
      [TaskQueries, readModels.tasks],
      [TaskCommands, core.tasks],
      ...datastoreProviders(knowledge, uploads, maxUploadBytes),
      [HealthChecks, new ServiceHealth({ log, readModels, replicas, kafka, apiKeys, fatal })],
      [Metrics, metrics],
    ];
    // A replica without the role only says how it is.
    const doors = hasApi ? DOORS : [];
    return {
      module: AppModule,
      controllers: [...doors, HealthController, MetricsController],
      providers: values.map(([provide, useValue]) => ({ provide: provide as string, useValue })),
    };
  }
}
