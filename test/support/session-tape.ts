import {
  type AttemptRef,
  type Draft,
  NO_SESSION,
  type RecordedSessionEvent,
  type RunRequest,
  type SessionState,
  asSessionEvent,
  evolveSession,
} from '#domain';

export const PROJECT = 'default';

/** What a request for a run says, when the test does not care. */
export const runRequest = (run: string, more: Partial<RunRequest> = {}): RunRequest => ({
  run,
  message: `the message of ${run}`,
  mode: 'base',
  model: 'm',
  config: {},
  trigger: 'request',
  replica: 'r1',
  onBusy: 'enqueue',
  ...more,
});

/** The events of one session as the log would hold them, without a log. */
export class SessionTape {
  readonly events: RecordedSessionEvent[] = [];

  /** Revision of the next event. */
  get next(): number {
    return this.events.length;
  }

  get state(): SessionState {
    return this.events.reduce(evolveSession, NO_SESSION);
  }

  /** Adds events of a run; a draft's own run goes before it. */
  add(run: string | undefined, ...drafts: readonly Draft[]): this {
    for (const { run: own, ...draft } of drafts) {
      const of = own ?? run;
      const meta = { project: PROJECT, actor: 'key_1', ...(of === undefined ? {} : { run: of }) };
      this.events.push(asSessionEvent({ ...draft, revision: this.next, time: 1000 + this.next, meta }));
    }
    return this;
  }

  /** A run in the words of the log: its request, claim and start, then `drafts`. */
  addRun(run: string, message: string, ...drafts: readonly Draft[]): this {
    return this.add(run, requested(message)).startRun(run, ...drafts);
  }

  /** The claim and the start of a run that was requested, then `drafts`. */
  startRun(run: string, ...drafts: readonly Draft[]): this {
    const at = this.events.findLastIndex((e) => e.type === 'run_requested' && e.meta.run === run);
    const claim: Draft = { type: 'run_claimed', data: { worker: 'w', epoch: 1, requested: at } };
    return this.add(run, claim, { type: 'agent_started', data: {} }, ...drafts);
  }
}

export const requested = (message: string, more: { interrupts?: true } = {}): Draft => ({
  type: 'run_requested',
  data: { message, mode: 'base', model: 'm', config: {}, trigger: 'request', replica: 'r1', ...more },
});

export const opened: Draft = { type: 'session_opened', data: {} };
export const cleared: Draft = { type: 'messages_cleared', data: {} };
export const cancelRequested: Draft = { type: 'run_cancel_requested', data: {} };
export const completed: Draft = { type: 'agent_completed', data: {} };
export const cancelled: Draft = { type: 'agent_cancelled', data: {} };
export const step = (n: number): Draft => ({ type: 'agent_step', data: { step: String(n) } });
export const responseStart: Draft = { type: 'agent_response_start', data: {} };
export const response = (content: string): Draft => ({ type: 'agent_response', data: { content } });
export const thinkingStart: Draft = { type: 'agent_thinking_start', data: {} };
export const thinking = (content: string): Draft => ({ type: 'agent_thinking', data: { content } });
export const toolUseStart: Draft = { type: 'agent_tool_use_start', data: {} };
export const toolUse = (content: string): Draft => ({ type: 'agent_tool_use', data: { content } });
export const turnFailed: Draft = { type: 'model_turn_failed', data: { attempt: 1, error: 'reset' } };

/** A finished turn, with calls of these ids to a tool `t`. */
export const turn = (...callIds: readonly string[]): Draft => ({
  type: 'model_turn_completed',
  data: {
    usage: { input_tokens: 10, output_tokens: 5 },
    cost: '0.001',
    finish_reason: callIds.length > 0 ? 'tool_calls' : 'stop',
    ...(callIds.length > 0 ? { tool_calls: callIds.map((id) => ({ id, name: 't', arguments: '{}' })) } : {}),
  },
});

export const compacted = (content: string, from: number | string, through: number | string): Draft => ({
  type: 'agent_compacted',
  data: { content, from: String(from), through: String(through) },
});

/** A call of which the model's server has counted the input. */
export const called = (tokens: number, chars: number, more: object = {}): Draft => ({
  type: 'model_called',
  data: {
    kind: 'turn',
    mode: 'base',
    model: 'm',
    input_tokens: tokens,
    output_tokens: 1,
    request_chars: chars,
    reported: {},
    price: null,
    cost: '0',
    ...more,
  },
});

export const result = (callId: string, content: string): Draft => ({
  type: 'tool_call_completed',
  data: { call_id: callId, content },
});

export const toolResponse = (content: string): Draft => ({ type: 'agent_tool_response', data: { content } });

export const attemptOf = (step_id: string, attempt = 1, call_id = 'c1'): AttemptRef => ({
  call_id,
  workflow_id: 'w',
  step_id,
  attempt,
});

/** A finished turn of an attempt of a workflow step. */
export function stepTurn({ attempt, ...step }: AttemptRef, text: string, ...callIds: string[]): Draft {
  const { type, data } = turn(...callIds) as Extract<Draft, { type: 'model_turn_completed' }>;
  return { type, data: { ...data, step, attempt, text } };
}

export const stepResult = (step: AttemptRef, callId: string, content: string): Draft => ({
  type: 'tool_call_completed',
  data: { call_id: callId, content, step },
});

/** What is written together when a call of a step is answered. */
export const stepResponse = (step: AttemptRef, tool_call_id: string, content: string): Draft[] => [
  toolResponse(content),
  { type: 'workflow_tool_responded', data: { ...step, tool_call_id } },
];

/** An answer to the request for the final output. */
export function finalTurn(text: string): Draft {
  const { type, data } = turn() as Extract<Draft, { type: 'model_turn_completed' }>;
  return { type, data: { ...data, final_output: true, text } };
}

export const finalOutput = (content: string): Draft => ({
  type: 'agent_final_output',
  data: { name: 'answer', content },
});
