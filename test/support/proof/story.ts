/** What happens in a log, before anybody has hashed it. */
export interface Draft {
  readonly stream: string;
  readonly type: string;
  /** JSON text of its data. */
  readonly text: string;
  /** ms since 1970 */
  readonly time: number;
  readonly actor?: string;
  readonly run?: string;
  readonly causationId?: string;
  readonly correlationId?: string;
  /** Appended without an expected revision, as another replica does it. */
  readonly isCommand?: boolean;
  /** Its text is under no key: it stays when the session is erased. */
  readonly isOpen?: boolean;
}

export const START_MS = 1_750_000_000_000;

export const runIdOf = (session: string, n: number): string => `run_${session}_${n}`;

/** The opening of a session. */
export const opening = (session: string, time = START_MS): Draft[] => [
  { stream: `session-${session}`, type: 'session_opened', text: '{}', time },
];

/** A run of a session, from its request to its end, with a cancel that another replica asks for in between. */
export function runOf(session: string, n: number, answer = `answer ${n}`): Draft[] {
  const stream = `session-${session}`;
  const run = runIdOf(session, n);
  const time = START_MS + n * 60_000;
  const of = (type: string, data: object, after: number): Draft => ({
    stream,
    type,
    text: JSON.stringify(data),
    time: time + after,
    run,
    correlationId: `req_${n}`,
  });
  return [
    of('run_requested', { message: `question ${n}` }, 0),
    of('run_claimed', { worker: 'w', epoch: 1, requested: 1 }, 1),
    { ...of('agent_started', {}, 1), causationId: run },
    { ...of('run_cancel_requested', {}, 500), isCommand: true, actor: 'key_2' },
    of('agent_response', { content: answer }, 900),
    { ...of('agent_completed', { response: answer }, 1_000), causationId: run },
  ];
}

/** The log of the tests: three runs of one session between events of others and of the house. */
export const SESSION = 'ses_story';
export const STREAM_OF_STORY = `session-${SESSION}`;

export function story(): Draft[][] {
  const house: Draft = { stream: 'proof-log', type: 'log_key_added', text: '{"number":1}', time: START_MS };
  return [
    [house, ...opening(SESSION), ...runOf(SESSION, 1), ...opening('ses_a')],
    [...runOf('ses_a', 1), ...runOf(SESSION, 2), ...opening('ses_b'), ...opening('ses_c')],
    [...runOf('ses_b', 1), ...runOf(SESSION, 3), { ...house, text: '{"number":2}' }],
  ];
}
