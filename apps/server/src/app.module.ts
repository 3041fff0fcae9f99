import { type DynamicModule, Module } from '@nestjs/common';
import { Deliveries, EventStreams } from '#delivery';
import { Metrics } from '#platform';
import { MessagePages, RunQueries, SessionQueries, TaskQueries } from '#read-models';
import { ApiKeys } from '#access';
import { EraseSession, SessionCommands, Sessions, TaskCommands } from '#runs';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from './features/controllers.js';
import { datastoreProviders } from './features/datastores/datastore-providers.js';
import { Authenticator } from './edge/admission/authenticator.js';
import { KeyEnd } from './features/keys/key-end.js';
import { PageAnswers } from './edge/answers/page-answers.js';
import { HealthChecks } from './edge/probes/health-checks.js';
import { EventAnswers } from './features/runs/shared/event-answers.js';
import { HistoryAnswers } from './features/runs/history-answers.js';
import { RunDoor } from './features/runs/run-door.js';
import { RunSurroundings } from './features/runs/run-command.js';
import { RunAnswers } from './features/runs/shared/run-answers.js';
import { RunPlaces } from './features/runs/shared/run-places.js';
import { ErasureLimits } from './features/sessions/sessions.controller.js';
import type { Service } from './compose/service.js';
import { PausedKeyEnd } from './compose/open-task-clock.js';
import { ServiceHealth } from './compose/service-health.js';

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
    const stores = { log, contents: core.contents };
    const values: readonly (readonly [unknown, unknown])[] = [
      [RunDoor, runDoor],
      [SessionCommands, core.commands],
      [Sessions, core.sessions],
      [EraseSession, eraseSession],
      [ErasureLimits, new ErasureLimits(keyBackupDays)],
      [ApiKeys, apiKeys],
      [Authenticator, apiKeys],
      [KeyEnd, new PausedKeyEnd(taskPauses, logger)],
      [HistoryAnswers, new HistoryAnswers(readModels.history, largeAnswers, stores)],
      [MessagePages, readModels.messagePages],
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
    return {
      module: AppModule,
      // A replica without the role only says how it is.
      controllers: [...(hasApi ? API_CONTROLLERS : []), ...OPERATOR_CONTROLLERS],
      providers: values.map(([provide, useValue]) => ({ provide: provide as string, useValue })),
    };
  }
}
