import { type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { ConsoleAuthModule } from './console-auth/console-auth.module.js';
import { ActionsModule } from './actions/actions.module.js';
import { BudgetsModule } from './budgets/budgets.module.js';
import { ConsoleModule } from './console/console.module.js';
import { DatastoresModule } from './datastores/datastores.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { DocsModule } from './docs/docs.module.js';
import { HealthModule } from './health/health.module.js';
import { KeysModule } from './keys/keys.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OpenAiModule } from './openai/openai.module.js';
import { ProofModule } from './proof/proof.module.js';
import { RunsModule } from './runs/runs.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { UsageModule } from './usage/usage.module.js';

const controllersOf = (...modules: readonly Type[]): readonly Type[] =>
  modules.flatMap((module) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) as Type[]);

/** Of every replica: how it is. */
export const OPERATOR_CONTROLLERS = controllersOf(HealthModule, MetricsModule);

/** Of replicas with the role `api`. */
export const API_CONTROLLERS = controllersOf(
  RunsModule,
  DeliveriesModule,
  ActionsModule,
  TasksModule,
  SessionsModule,
  UsageModule,
  BudgetsModule,
  DatastoresModule,
  KeysModule,
  ConsoleAuthModule,
  McpModule,
  OpenAiModule,
  ProofModule,
  DocsModule,
  ConsoleModule,
);
