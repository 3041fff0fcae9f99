import type {
  Content,
  MessageType,
  Mode,
  PicoDollars,
  RunWarning,
  TaskProgress,
  Trigger,
  Position,
  ProjectId,
  Revision,
  RunId,
  SessionId,
  StreamName,
  TaskId,
} from '#domain';

export type RunStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** A run as its table knows it. Times are ms since 1970. */
export interface RunRow {
  readonly run: RunId;
  readonly session: SessionId;
  readonly project: ProjectId;
  /** Revision of its `run_requested`; a second one of the same run changes nothing. */
  readonly requested: Revision;
  readonly mode: Mode;
  readonly model: string;
  readonly trigger: Trigger;
  readonly actor: string;
  readonly createdAt: number;
  status: RunStatus;
  startedAt: number | null;
  endedAt: number | null;
  cost: PicoDollars;
  inputTokens: number;
  outputTokens: number;
  error: RunError | null;
  warnings: readonly RunWarning[];
  /** Revision of its last public event, as of the last write of this row. */
  lastEventId: number | null;
}

/** A session as its table knows it. */
export interface SessionRow {
  readonly session: SessionId;
  readonly project: ProjectId;
  readonly createdAt: number;
  title: string | null;
  /** The run that was requested last, and its status. */
  lastRun: string | null;
  lastStatus: RunStatus | null;
  cost: PicoDollars;
  /** Messages that have a row. */
  messageCount: number;
  /** A block is being written that has text already: one message more. */
  hasOpenText: boolean;
  /** All messages that began up to this revision are complete and have their rows. A fold may go on after it. */
  foldedTo: number;
  /** What follows `foldedTo` is hidden until a run starts, because the messages were cleared. */
  isHidden: boolean;
}

export interface MessageRow {
  readonly session: SessionId;
  readonly revision: Revision;
  readonly type: MessageType;
  readonly pieces: readonly Content[];
}

export interface ApiKeyRow {
  readonly id: string;
  readonly project: ProjectId;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly hash: string;
  readonly webhookSecret: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** A task as its table knows it. */
export interface TaskRow extends TaskProgress {
  readonly task: TaskId;
  readonly session: SessionId;
  readonly project: ProjectId;
  readonly createdAt: number;
  /** The schedule as the request gave it. */
  readonly given: number | string;
  readonly timezone: string | null;
  readonly message: Content;
  /** Revision of the `run_requested` that brought it. */
  readonly requested: Revision;
  /** Of the newest slot that fired. */
  readonly lastFiredAt: number | null;
  readonly lastRun: string | null;
  /** The newest of its runs that is there. */
  readonly startedRun: string | null;
}

/** A stream that cannot be projected from `revision` on. */
export interface ParkedStream {
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly reason: string;
}

/** What a batch changes. Rows are whole, so that writing them twice is harmless. */
export interface Changes {
  readonly sessions: readonly SessionRow[];
  readonly runs: readonly RunRow[];
  readonly messages: readonly MessageRow[];
  /** The messages of these sessions up to a revision are gone. */
  readonly cleared: readonly { readonly session: SessionId; readonly revision: Revision }[];
  readonly tasks: readonly TaskRow[];
  readonly keysIssued: readonly ApiKeyRow[];
  readonly keysRevoked: readonly { readonly id: string; readonly at: number }[];
  readonly parked: readonly ParkedStream[];
  /** Streams that were parked and are no more. */
  readonly freed: readonly string[];
  /** Sessions of which nothing is to be kept. */
  readonly erased: readonly string[];
}

/** Whose keys seal the content of a batch's rows: ids, by session. */
export type KeyIds = ReadonlyMap<string, string>;

export const NO_CHANGES: Changes = {
  sessions: [],
  runs: [],
  messages: [],
  cleared: [],
  tasks: [],
  keysIssued: [],
  keysRevoked: [],
  parked: [],
  freed: [],
  erased: [],
};

export const isEmpty = (changes: Changes): boolean =>
  Object.values(changes).every((rows) => rows.length === 0);

export interface Checkpoint {
  readonly logId: string;
  readonly position: Position;
}

/** A session's row with the runs that may still change and those that ended last. */
export interface StoredSession {
  readonly row: SessionRow;
  readonly runs: readonly RunRow[];
}

/** Where the projection keeps its rows. */
export abstract class ReadModelStore {
  /** @throws ReadModelsUnavailable, as all of them */
  abstract loadCheckpoint(): Promise<Checkpoint | null>;
  abstract loadParked(): Promise<readonly ParkedStream[]>;
  abstract loadSessions(sessions: readonly string[]): Promise<readonly StoredSession[]>;
  abstract loadTasks(tasks: readonly string[]): Promise<readonly TaskRow[]>;
  /**
   * Writes the changes and moves the checkpoint from `from` (null: there is none) to `to`, both or neither.
   * False: the checkpoint was not at `from`, nothing was changed.
   */
  abstract commit(
    changes: Changes,
    from: Checkpoint | null,
    to: Checkpoint,
    keyIds?: KeyIds,
  ): Promise<boolean>;
}
