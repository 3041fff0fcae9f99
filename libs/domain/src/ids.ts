/** Run ids hold their session's id, so that a run is found without an index: `run_<session>_<x>`. */
export const runId = (session: string, x: string): string => `run_${session}_${x}`;

const RUN = /^run_(ses_[A-Za-z0-9]+)_[A-Za-z0-9]+$/;

/** The session of a run id, or null where it is none. */
export const sessionOfRun = (run: string): string | null => RUN.exec(run)?.[1] ?? null;

export const sessionId = (x: string): string => `ses_${x}`;

export const isSessionId = (text: string): boolean => /^ses_[A-Za-z0-9]+$/.test(text);

export const sessionStream = (session: string): string => `session-${session}`;

/** The session of a stream's name, or null where it is another kind of stream. */
export const sessionOfStream = (stream: string): string | null =>
  stream.startsWith('session-') ? stream.slice('session-'.length) : null;

export const apiKeyStream = (id: string): string => `apikey-${id}`;
