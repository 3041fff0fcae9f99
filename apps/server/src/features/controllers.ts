import type { Type } from '@nestjs/common';
import { DATASTORE_CONTROLLERS } from './datastores/datastore-providers.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { OpenApiController } from './docs/openapi.controller.js';
import { HealthController } from './health/health.controller.js';
import { ApiKeysController } from './keys/api-keys.controller.js';
import { TokensController } from './keys/tokens.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { AgentController } from './runs/agent.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { MessagesController } from './sessions/messages.controller.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { TasksController } from './tasks/tasks.controller.js';

/** Of every replica: how it is. */
export const OPERATOR_CONTROLLERS: readonly Type[] = [HealthController, MetricsController];

/** Of replicas with the role `api`. */
export const API_CONTROLLERS: readonly Type[] = [
  AgentController,
  RunsController,
  DeliveriesController,
  TasksController,
  SessionsController,
  MessagesController,
  ...DATASTORE_CONTROLLERS,
  ApiKeysController,
  TokensController,
  OpenApiController,
];
