import type { MessageRecord, StoredSession } from '#projections';
import type { Revision, SessionId } from '#domain';
import type { Checkpoint } from '#postgres';
import type { ActionRow } from '../tables/actions.js';
import type { ApiKeyRow } from '../tables/api-keys.js';
import type { CallbackRow } from '../tables/callbacks.js';
import type { ModelCallRow } from '../tables/model-calls.js';
import type { ParkedStream } from '../tables/parked-streams.js';
import type { RunMetadataRow } from '../tables/run-metadata.js';
import type { RunRow } from '../tables/runs.js';
import type { SessionRow } from '../tables/sessions.js';
import type { TaskRow } from '../tables/tasks.js';

export type { ActionRow } from '../tables/actions.js';
export type { ApiKeyRow } from '../tables/api-keys.js';
export type { CallbackRow } from '../tables/callbacks.js';
export type { ModelCallRow } from '../tables/model-calls.js';
export type { ParkedStream } from '../tables/parked-streams.js';
export type { RunMetadataRow } from '../tables/run-metadata.js';
export type { RunRow } from '../tables/runs.js';
export type { SessionRow } from '../tables/sessions.js';
export type { TaskRow } from '../tables/tasks.js';

export type MessageRow = MessageRecord;

/** What a batch changes. Rows are whole, so that writing them twice is harmless. */
export interface Changes {
  readonly sessions: readonly SessionRow[];
  readonly runs: readonly RunRow[];
  readonly messages: readonly MessageRow[];
  /** The messages of these sessions up to a revision are gone. */
  readonly cleared: readonly { readonly session: SessionId; readonly revision: Revision }[];
  readonly tasks: readonly TaskRow[];
  readonly actions: readonly ActionRow[];
  readonly modelCalls: readonly ModelCallRow[];
  readonly callbacks: readonly CallbackRow[];
  readonly metadata: readonly RunMetadataRow[];
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
  actions: [],
  modelCalls: [],
  callbacks: [],
  metadata: [],
  keysIssued: [],
  keysRevoked: [],
  parked: [],
  freed: [],
  erased: [],
};

export const isEmpty = (changes: Changes): boolean =>
  Object.values(changes).every((rows) => rows.length === 0);

/** Where the projection keeps its rows. */
export abstract class ReadModelStore {
  /** @throws ReadModelsUnavailable, as all of them */
  abstract loadCheckpoint(): Promise<Checkpoint | null>;
  abstract loadParked(): Promise<readonly ParkedStream[]>;
  abstract loadSessions(sessions: readonly string[]): Promise<readonly StoredSession[]>;
  abstract loadTasks(tasks: readonly string[]): Promise<readonly TaskRow[]>;
  /** Those named, and those of the runs that are open. */
  abstract loadActions(actions: readonly string[], runs: readonly string[]): Promise<readonly ActionRow[]>;
  abstract loadCallbacks(runs: readonly string[]): Promise<readonly CallbackRow[]>;
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
