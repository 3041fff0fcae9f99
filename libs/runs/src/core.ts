import {
  CONTEXT_BUDGETS,
  type ContextBudgets,
  type DriverPorts,
  type ModelClient,
  ModelTurn,
  type RunWatch,
  type Toolboxes,
  PriceList,
  type SpendingLimits,
  UNLIMITED,
} from '#agent';
import { type Schemas } from '#json-schema';
import type { Mode } from '#domain';
import { ContentStore, type FileStore } from '#vault';
import { type EventLog } from '#event-log';
import {
  type Background,
  type Clock,
  CountedWork,
  FairSemaphore,
  type Logger,
  type ModelParameter,
  type Random,
} from '#platform';
import { RunAdmission, type ProjectShares } from './admission.js';
import { IdempotencyKeys } from '#access';
import { ContextsAsOf } from './context-as-of.js';
import { readCharsOf } from './load-session.js';
import { ActionCommands } from './actions/action-commands.js';
import { JointDecisions, type JointPorts } from './actions/joint-decisions.js';
import type { ActionIndex } from './actions/action-index.js';
import { ConversationCommands, type ConversationPorts } from './conversations/conversation-commands.js';
import { ForkSession } from './fork/fork-session.js';
import { LogHistory } from './log-history.js';
import { Recovery } from './recovery.js';
import { SessionCommands } from './session-commands.js';
import { Sessions } from './sessions.js';
import { ReplayPlanner } from './replay/plan-replay.js';
import { RetryPlanner } from './start/retry-run.js';
import { workerOf } from './worker-name.js';
import { StartRunHandler } from './start/start-run.js';
import { TaskCommands } from './tasks/task-commands.js';
import { TaskFirings } from './tasks/task-firings.js';
import { TaskMaker } from './tasks/task-maker.js';

export interface CorePorts {
  readonly log: EventLog;
  readonly files: FileStore;
  readonly model: ModelClient;
  readonly toolboxes: Toolboxes;
  readonly schemas: Schemas;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  /** Absent: nobody looks on. */
  readonly watch?: RunWatch;
  /** Absent: the built-in list. */
  readonly prices?: PriceList;
  /** Budgets that runs share; absent: there are none. */
  readonly limits?: SpendingLimits;
  /** Absent: nobody outlives this process who could know of its death. */
  readonly counted?: CountedWork;
}

export interface CoreOptions {
  readonly models: Readonly<Record<Mode, string>>;
  /** What is not sent to a model, by mode; absent: all is. */
  readonly modelOmit?: Readonly<Record<Mode, readonly ModelParameter[]>>;
  /** Tokens of context, by mode; absent: as they are by default. */
  readonly contexts?: ContextBudgets;
  readonly maxRuns: number;
  /** Of one project; absent: all that there is. */
  readonly shares?: ProjectShares;
  readonly maxSteps: number;
  readonly runTimeoutMs: number;
  readonly replica: string;
  /** Whether this process may claim runs now; absent: always. */
  readonly mayClaim?: () => boolean;
  /** Whether another replica is heard of; absent: there is none. */
  readonly isAlive?: (replica: string) => boolean;
  /** Whether what is done later may be done in the name of a key; absent: always. */
  readonly mayAct?: (keyId: string) => boolean;
  /** 32 bytes, the same for all replicas and for good. */
  readonly idempotencySecret: Uint8Array;
}

/** The part of the house between the log and its doors, put together; the same in production and under simulation. */
export interface Core {
  readonly sessions: Sessions;
  readonly admission: RunAdmission;
  readonly contents: ContentStore;
  readonly startRun: StartRunHandler;
  readonly commands: SessionCommands;
  readonly recovery: Recovery;
  readonly tasks: TaskCommands;
  /** With the index where actions are looked up, once there is one. */
  readonly actions: (index: () => ActionIndex) => ActionCommands;
  /** Decides on all that a run waits for at once. */
  readonly joint: (actions: ActionCommands) => JointDecisions;
  readonly retries: RetryPlanner;
  readonly forks: ForkSession;
  readonly conversations: ConversationCommands;
  readonly replays: ReplayPlanner;
  readonly contexts: ContextsAsOf;
  readonly maker: TaskMaker;
  readonly firings: TaskFirings;
}

export function openCore(ports: CorePorts, options: CoreOptions): Core {
  const { log, files, model, toolboxes, schemas, clock, random, background, logger, watch } = ports;
  const contents = new ContentStore(files);
  const { limits = UNLIMITED, prices = new PriceList() } = ports;
  const turn = new ModelTurn(model, clock, random, watch, options.modelOmit, prices, limits);
  const { contexts = CONTEXT_BUDGETS } = options;
  const history = new LogHistory(log, contents);
  const driver: DriverPorts = { clock, logger, turn, schemas, watch, limits: options, contexts, history };
  const admission = new RunAdmission(options.maxRuns, options.mayClaim, options.shares);
  const { replica, models } = options;
  const worker = workerOf(replica, random.hex(8));
  const shared = { log, clock, random, background, logger };
  const { isAlive = () => false } = options;
  const sessions = new Sessions({
    ...shared,
    contents,
    driver,
    toolboxes,
    admission,
    replica,
    worker,
    isAlive,
  });
  const keys = new IdempotencyKeys(log, clock, random, options.idempotencySecret);
  const maker = new TaskMaker(shared);
  const startRun = new StartRunHandler(
    { ...shared, sessions, contents, admission, keys, toolboxes, tasks: maker },
    { models, replica, worker },
  );
  const recovery = new Recovery(sessions, shared);
  const commands = new SessionCommands(sessions, log);
  const tasks = new TaskCommands(shared, options.mayAct);
  const { counted = new CountedWork() } = ports;
  const starting = { contents, sessions, startRun, counted, mayAct: options.mayAct };
  const deciding = { log, sessions, contents, schemas, toolboxes, clock };
  const actions = (index: () => ActionIndex) => new ActionCommands(deciding, index);
  const retries = new RetryPlanner({ log, sessions, contents });
  // Many of a project side by side would keep all others waiting.
  const turns = new FairSemaphore({ room: 2, roomEach: 1 });
  const replays = new ReplayPlanner({ log, sessions, contents, turns });
  const forks = new ForkSession({ log, sessions, keys, random, turns });
  const asOf = new ContextsAsOf(log, readCharsOf(contexts));
  const firings = new TaskFirings({ ...shared, ...starting });
  return {
    sessions,
    admission,
    contents,
    startRun,
    commands,
    recovery,
    tasks,
    actions,
    retries,
    forks,
    ...openFace({ ...deciding, random, keys }),
    replays,
    contexts: asOf,
    maker,
    firings,
  };
}

/** What OpenAI's interface has besides. */
const openFace = (ports: JointPorts & ConversationPorts): Pick<Core, 'joint' | 'conversations'> => ({
  joint: (actions) => new JointDecisions(ports, actions),
  conversations: new ConversationCommands(ports),
});
