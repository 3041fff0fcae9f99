import type { Schemas } from '#json-schema';
import type { Clock, Logger } from '#platform';
import type { ModelTurn } from '../model/model-turn.js';
import type { HistoryReader } from '../tools/read-history.js';
import type { ContextBudgets } from './context-budgets.js';
import type { RunWatch } from './run-watch.js';

export interface DriverPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly turn: ModelTurn;
  readonly schemas: Schemas;
  /** Absent: nobody looks on. */
  readonly watch?: RunWatch | undefined;
  readonly limits: { readonly maxSteps: number; readonly runTimeoutMs: number };
  /** Absent: as they are by default. */
  readonly contexts?: ContextBudgets | undefined;
  /** Absent: what is left out of a context cannot be read again. */
  readonly history?: HistoryReader | undefined;
}
