declare const kind: unique symbol;

/**
 * A text or number that means one kind of thing. What is plain is taken as any kind, for it comes from outside as text; but
 * one kind is not taken for another: a run's id where a session's belongs is an error of the compiler.
 */
export type Kind<T extends string | number, Name extends string> = T & { readonly [kind]?: Name };

export type ProjectId = Kind<string, 'project'>;
export type SessionId = Kind<string, 'session'>;
export type RunId = Kind<string, 'run'>;
export type TaskId = Kind<string, 'task'>;
export type ActionId = Kind<string, 'action'>;
export type StreamName = Kind<string, 'stream'>;
/** Revision of an event in its stream: 0, 1, 2 … without gaps. */
export type Revision = Kind<number, 'revision'>;
/** Position of an event in the whole log: rises, may have gaps, means nothing in another log. 0 is before the first. */
export type Position = Kind<number, 'position'>;

/** Run ids hold their session's id, so that a run is found without an index: `run_<session>_<x>`. */
export const runId = (session: SessionId, x: string): RunId => `run_${session}_${x}`;

/** A replay's, which says so itself: nobody outside is told of its events. */
export const replayRunId = (session: SessionId, x: string): RunId => runId(session, `replay${x}`);

export const isReplayRun = (run: RunId): boolean => run.includes('_replay');

/** Of one that is erased, with its session, when it has ended or waits: it says so itself, too. */
export const unstoredRunId = (session: SessionId, x: string): RunId => runId(session, `once${x}`);

export const isUnstoredRun = (run: RunId): boolean => run.includes('_once');

const RUN = /^run_(ses_[A-Za-z0-9]+)_[A-Za-z0-9]+$/;

/** The session of a run id, or null where it is none. */
export const sessionOfRun = (run: RunId): SessionId | null => RUN.exec(run)?.[1] ?? null;

/** Ids of actions hold their session's, too: `act_<session>_<x>`. */
export const actionIdIn = (session: SessionId, x: string): ActionId => `act_${session}_${x}`;

const ACTION = /^act_(ses_[A-Za-z0-9]+)_[A-Za-z0-9]+$/;

/** The session of an action's id, or null where it is none. */
export const sessionOfAction = (action: ActionId): SessionId | null => ACTION.exec(action)?.[1] ?? null;

export const sessionId = (x: string): SessionId => `ses_${x}`;

export const isSessionId = (text: string): boolean => /^ses_[A-Za-z0-9]+$/.test(text);

export const sessionStream = (session: SessionId): StreamName => `session-${session}`;

/** The session of a stream's name, or null where it is another kind of stream. */
export const sessionOfStream = (stream: StreamName): SessionId | null =>
  stream.startsWith('session-') ? stream.slice('session-'.length) : null;

export const apiKeyStream = (id: string): StreamName => `apikey-${id}`;
