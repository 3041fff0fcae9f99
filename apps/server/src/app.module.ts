import { type DynamicModule, Module } from '@nestjs/common';
import { Deliveries, EventStreams } from '#delivery';
import { Metrics } from '#platform';
import { Runs, Sessions as SessionList, Tasks } from '#read-models';
import { ApiKeys } from '#access';
import { EraseSession, SessionCommands, Sessions, TaskCommands } from '#runs';
import { DATASTORE_CONTROLLERS, datastoreProviders } from './datastores/datastore-providers.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { ApiKeysController } from './http/api-keys.controller.js';
import { Authenticator } from './http/authenticator.js';
import { KeyEnd } from './http/key-end.js';
import { PageAnswers } from './http/page-answers.js';
import { HealthChecks } from './http/health-checks.js';
import { HealthController } from './http/health.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { MetricsController } from './observability/metrics.controller.js';
import { AgentController } from './runs/agent.controller.js';
import { EventAnswers } from './runs/event-answers.js';
import { HistoryAnswers } from './runs/history-answers.js';
import { RunDoor } from './runs/run-door.js';
import { RunSurroundings } from './runs/run-command.js';
import { RunAnswers } from './runs/run-answers.js';
import { RunPlaces } from './runs/run-places.js';
import { RunsController } from './runs/runs.controller.js';
import { ErasureLimits, SessionsController } from './runs/sessions.controller.js';
import type { Service } from './service.js';
import { PausedKeyEnd } from './tasks/open-task-clock.js';
import { TasksController } from './tasks/tasks.controller.js';
import { ServiceHealth } from './service-health.js';

/** What takes requests. */
const DOORS = [
  AgentController,
  RunsController,
  DeliveriesController,
  TasksController,
  SessionsController,
  ...DATASTORE_CONTROLLERS,
  ApiKeysController,
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
      [Runs, readModels.runs],
      [SessionList, readModels.sessions],
      [EventStreams, streams],
      [RunAnswers, answers],
      [RunPlaces, new RunPlaces(core.sessions, readModels.runs, log)],
      [EventAnswers, new EventAnswers(streams, answers, largeAnswers)],
      [RunSurroundings, surroundings],
      [Deliveries, deliveries],
      [PageAnswers, new PageAnswers(largeAnswers)],
      [Tasks, readModels.tasks],
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
