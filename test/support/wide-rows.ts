const at = (beforeMs: number): string => new Date(Date.now() - beforeMs).toISOString();

/** What the lists with buttons have in their rows, as long as it is now and then, by the path that they are read from. */
export const wideRows = (): Readonly<Record<string, readonly object[]>> => ({
  '/runs': [runOf('running', null), runOf('failed', { code: 'model_unavailable', message: MESSAGE })],
  '/api-keys': [
    {
      id: 'key_01KC0V8H4N3Z5Q6W7E8R',
      name: 'the key of somebody with a long name',
      scopes: ['run', 'read', 'datastores', 'approve', 'metrics'],
      project: 'a-project-of-ours',
      created_at: at(90_000_000),
      expires_at: null,
      last_used_at: at(3_600_000),
    },
  ],
  '/tasks': [
    {
      task_id: 'tsk_1',
      session: 'ses_1',
      status: 'scheduled',
      message: 'What is new today, and what has to be done about it before anybody comes to work?',
      schedule: '0 9 * * 1-5',
      timezone: 'Europe/Berlin',
      next_run_at: at(-90_000),
      last_run_at: at(34_000),
      created_at: at(90_000_000),
      firings: [],
    },
  ],
  '/deliveries': [
    {
      delivery_id: 'dlv_1',
      type: 'agent_tool_response',
      status: 'retrying',
      attempts: 10,
      last_status: 503,
      next_attempt_at: at(-90_000),
      last_error: null,
      last_response: 'overloaded',
      event_id: '11888',
      target: 'https://callbacks.shop.example',
      run_id: 'run_1',
      session: 'ses_1',
      last_attempt_at: at(34_000),
      created_at: at(34_000),
    },
  ],
});

const MESSAGE = 'the model answered 500: overloaded, please try again later';

const runOf = (status: string, error: object | null): object => ({
  run_id: `run_${status}`,
  session: 'ses_01KC0V8H4N3Z5Q6W7E8R9T0Y1U',
  status,
  mode: 'base',
  model: 'gpt-5-mini-2025-08-07',
  trigger: 'request',
  retry_of: null,
  replay_of: null,
  created_at: at(34_000),
  started_at: at(34_000),
  first_token_at: at(33_000),
  ended_at: error === null ? null : at(1000),
  cost: '12.34567',
  warnings: [],
  error,
});
