import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ServiceModule } from './compose/service.module.js';
import type { Service } from './compose/service.js';
import { AnswersModule } from './edge/answers/answers.module.js';
import { ConsoleAuthModule } from './features/console-auth/console-auth.module.js';
import { ActionsModule } from './features/actions/actions.module.js';
import { ConsoleModule } from './features/console/console.module.js';
import { DatastoresModule } from './features/datastores/datastores.module.js';
import { DeliveriesModule } from './features/deliveries/deliveries.module.js';
import { DocsModule } from './features/docs/docs.module.js';
import { HealthModule } from './features/health/health.module.js';
import { KeysModule } from './features/keys/keys.module.js';
import { McpModule } from './features/mcp/mcp.module.js';
import { MetricsModule } from './features/metrics/metrics.module.js';
import { OpenAiModule } from './features/openai/openai.module.js';
import { ProofModule } from './features/proof/proof.module.js';
import { RunsModule } from './features/runs/runs.module.js';
import { SessionsModule } from './features/sessions/sessions.module.js';
import { TasksModule } from './features/tasks/tasks.module.js';
import { BudgetsModule } from './features/budgets/budgets.module.js';
import { UsageModule } from './features/usage/usage.module.js';

/** The features, on what openService put together. */
@Module({})
export class AppModule {
  static of(service: Service): DynamicModule {
    const parts = ServiceModule.of(service);
    const on = (module: Type, ...imports: readonly DynamicModule[]): DynamicModule => ({
      module,
      imports: [parts, ...imports],
    });
    const answers = on(AnswersModule);
    const runs = on(RunsModule, answers);
    const api = [
      runs,
      on(DeliveriesModule, runs),
      on(ActionsModule, answers),
      on(UsageModule, answers),
      on(BudgetsModule),
      on(TasksModule, answers),
      on(SessionsModule, runs, answers),
      on(McpModule, runs),
      on(OpenAiModule, runs, answers),
      on(DatastoresModule),
      on(KeysModule),
      on(ConsoleAuthModule),
      on(ProofModule),
      on(DocsModule),
      on(ConsoleModule),
    ];
    // A replica without the role only says how it is.
    const operators = [on(HealthModule), on(MetricsModule)];
    return { module: AppModule, imports: [...(service.hasApi ? api : []), ...operators] };
  }
}
