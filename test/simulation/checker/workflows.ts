import { OUTCOME_UNKNOWN } from '#domain';
import type { Marks } from '../world/marks.js';
import { asSaid } from './contexts.js';
import { type Evidence, type SessionLog, type SessionRecord, at, require } from './evidence.js';
import { checkStepAsks } from './step-asks.js';
import {
  type CallFacts,
  type RunClaims,
  type StepFacts,
  callOf,
  claimsOf,
  textIn,
} from './workflow-facts.js';

const ONCE = 'I5 a finished step or attempt is not repeated';
const ORDER = 'I5 a step starts when the log holds all that it needs';

/**
 * I5 for workflows: a step starts once those that it depends on are completed on the log, attempts count up and wait as
 * long as they are to, what ended never starts again, and what the agent is told of it is what the log holds.
 */
export function checkWorkflows(sessions: readonly SessionLog[], evidence: Evidence): void {
  const steps: StepFacts[] = [];
  for (const session of sessions) {
    const runs = new Map<string, RunClaims>();
    for (const [i, event] of session.events.entries()) {
      const run = event.meta.run ?? '';
      const made = claimsOf(session, event, evidence);
      if (made !== null) runs.set(run, made);
      const known = runs.get(run);
      if (known === undefined) continue;
      for (const call of take(known, session, event, session.events[i - 1], evidence))
        steps.push(...call.steps.values());
    }
  }
  checkStepAsks(steps, evidence);
}

/** The calls that begin with the event. */
function take(
  run: RunClaims,
  session: SessionLog,
  event: SessionRecord,
  before: SessionRecord | undefined,
  evidence: Evidence,
): CallFacts[] {
  switch (event.type) {
    case 'run_claimed':
      run.claims.push({ epoch: event.data.epoch, worker: event.data.worker, position: event.position });
      if ([...run.calls.values()].some((call) => !call.isOver)) evidence.marks.hit('workflow taken over');
      return [];
    case 'model_turn_completed':
      if (event.data.step === undefined) return begin(run, event);
      takeTurn(run, session, event, evidence);
      return [];
    case 'workflow_attempt_started':
      start(stepOf(run, event.data), run, event, evidence.marks);
      return [];
    case 'workflow_step_completed':
    case 'workflow_attempt_failed':
      end(stepOf(run, event.data), run, session, event, evidence);
      return [];
    case 'agent_workflow_step':
      tell(run, event, before);
      return [];
    case 'tool_call_completed':
      if (event.data.step === undefined) takeResult(run, session, event, evidence);
      return [];
    default:
      return [];
  }
}

type Of<T extends SessionRecord['type']> = Extract<SessionRecord, { type: T }>;

function begin(run: RunClaims, event: Of<'model_turn_completed'>): CallFacts[] {
  run.calls.clear();
  for (const { id, name, arguments: args } of event.data.tool_calls ?? []) {
    const call = name === 'run_workflow' ? callOf(run, args) : null;
    if (call !== null) run.calls.set(id, call);
  }
  return [...run.calls.values()];
}

function stepOf(run: RunClaims, ref: { call_id: string; step_id: string }): StepFacts {
  const step = run.calls.get(ref.call_id)?.steps.get(ref.step_id);
  require(step !== undefined, ORDER, () => `${run.run}: there is no call ${ref.call_id} with ${ref.step_id}`);
  return step;
}

const epochOf = ({ claims }: RunClaims): number => claims.at(-1)?.epoch ?? 0;

const hasOutput = ({ steps }: CallFacts, id: string): boolean => typeof steps.get(id)?.output === 'string';

function start(step: StepFacts, run: RunClaims, event: Of<'workflow_attempt_started'>, marks: Marks): void {
  const { call, definition, attempts } = step;
  const wrong = (why: string) => () => `${at(event)} of ${definition.id}: ${why}`;
  // A step that has begun has the attempts that it has left, also when another one fails.
  require(!call.isOver && (!call.failed || attempts.length > 0), ORDER, wrong('the workflow is over'));
  for (const id of definition.depends_on)
    require(hasOutput(call, id), ORDER, wrong(`${id} is not completed`));
  require(event.data.attempt === attempts.length + 1, ONCE, wrong(`attempt ${event.data.attempt}`));
  const last = attempts.at(-1);
  if (last !== undefined) {
    const ended = last.ended?.event;
    require(ended?.type === 'workflow_attempt_failed', ONCE, wrong('the attempt before has not failed'));
    const { next_at } = ended.data;
    require(next_at !== null && event.time >= next_at, ORDER, wrong(`at ${event.time}, not ${next_at}`));
    marks.hit('step attempted again');
  }
  const running = [...call.steps.values()].filter((s) => s.attempts.at(-1)?.ended === null);
  if (running.length > 0) marks.hit('steps in parallel');
  attempts.push({ event, epoch: epochOf(run), turns: [], ended: null });
}

function takeTurn(
  run: RunClaims,
  session: SessionLog,
  event: Of<'model_turn_completed'>,
  evidence: Evidence,
): void {
  const { step: ref, attempt, text: content = '', tool_calls = [] } = event.data;
  if (ref === undefined) return;
  const step = stepOf(run, ref);
  const last = step.attempts.at(-1);
  require(last?.ended === null && step.attempts.length === attempt, ONCE, () =>
    `${at(event)}: no attempt ${attempt} of ${ref.step_id} is under way`);
  const text = textIn(session, content, evidence);
  const calls = JSON.stringify(tool_calls.map(asSaid));
  const wasSaid = evidence.ledger.asks.some(
    (ask) =>
      ask.step?.step === step.script.step &&
      ask.step.input === step.call.input &&
      ask.turn === last.turns.length &&
      ask.text === text &&
      ask.calls === calls,
  );
  require(wasSaid, "I3 a step's turn is what the model said", () => `${at(event)}: ${text} ${calls}`);
  last.turns.push({ event, epoch: epochOf(run), text, calls });
}

function end(
  step: StepFacts,
  run: RunClaims,
  session: SessionLog,
  event: Of<'workflow_step_completed' | 'workflow_attempt_failed'>,
  evidence: Evidence,
): void {
  const { definition, attempts, call } = step;
  const last = attempts.at(-1);
  const { attempt } = event.data;
  const wrong = (why: string) => () => `${at(event)} of ${definition.id}: ${why}`;
  require(last?.ended === null && attempts.length === attempt, ONCE, wrong('no such attempt is under way'));
  last.ended = { event, epoch: epochOf(run) };
  if (event.type === 'workflow_step_completed') {
    const output = textIn(session, event.data.output, evidence);
    const said = last.turns.at(-1);
    require(said?.text === output && said.calls === '[]', "I3 a step's output is its last turn", wrong(
      output,
    ));
    require(!step.script.isJson || isValid(output), 'I3 an output matches its schema', wrong(output));
    step.output = output;
    return;
  }
  const { max_attempts = 1, backoff = 'none', initial_delay_ms = 0 } = definition.retry_policy ?? {};
  const { next_at, errors } = event.data;
  require((next_at === null) === attempt >= max_attempts, ORDER, wrong(`${max_attempts} attempts`));
  const waits = { none: 0, fixed: 1, linear: attempt, exponential: 2 ** (attempt - 1) };
  const latest = event.time + waits[backoff] * initial_delay_ms;
  require(next_at === null || next_at <= latest, ORDER, wrong(`waits until ${next_at}, not ${latest}`));
  if (errors.some((error) => error.includes('JSON'))) evidence.marks.hit('step output was invalid');
  if (next_at === null && definition.optional !== true) call.failed = true;
}

function isValid(text: string): boolean {
  try {
    const { said } = JSON.parse(text) as { said?: unknown };
    return typeof said === 'string' && said.length > 0;
  } catch {
    return false;
  }
}

const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  started: ['workflow_attempt_started'],
  completed: ['workflow_step_completed'],
  failed: ['workflow_attempt_failed'],
  skipped: ['workflow_attempt_failed', 'agent_workflow_step'],
};

function tell(run: RunClaims, event: Of<'agent_workflow_step'>, before: SessionRecord | undefined): void {
  const { workflow_id, step_id, status } = event.data;
  const TOLD = 'I4 a step is told as it is';
  require(FOLLOWS[status]?.includes(before?.type ?? '') === true, TOLD, () =>
    `${at(event)}: ${step_id} ${status} after ${before?.type}`);
  const calls = [...run.calls.values()].filter((call) => call.workflow.id === workflow_id && !call.isOver);
  for (const call of calls) call.steps.get(step_id)?.told.push(status);
}

/** What the agent is told: each step's fate, as the log has it. */
function takeResult(
  run: RunClaims,
  session: SessionLog,
  event: Of<'tool_call_completed'>,
  evidence: Evidence,
): void {
  const call = run.calls.get(event.data.call_id);
  if (call === undefined) return;
  call.isOver = true;
  const text = textIn(session, event.data.content, evidence);
  if (text === OUTCOME_UNKNOWN) return;
  const wrong = (why: string) => () => `${at(event)}: ${why} in ${text.slice(0, 300)}`;
  require(text.startsWith('{'), 'I5 a workflow has a result', wrong('nothing'));
  const result = JSON.parse(text) as {
    status: string;
    steps: { id: string; status: string; output?: string }[];
  };
  const TRUE = 'I1 the agent is told what the log holds';
  require((result.status === 'failed') === call.failed, TRUE, wrong('the status'));
  for (const { id, status, output } of result.steps) {
    const step = call.steps.get(id);
    require(step !== undefined && fateOf(step) === status, TRUE, wrong(`${id} ${status}`));
    require((output ?? null) === step.output, TRUE, wrong(`the output of ${id}`));
    require(step.told.includes(status), 'I4 a step is told as it is', wrong(`${id} ${status} was not told`));
    evidence.marks.hit(`step ${status}`);
  }
}

function fateOf(step: StepFacts): string {
  if (step.output !== null) return 'completed';
  const { call, definition, attempts } = step;
  const last = attempts.at(-1);
  if (last === undefined) {
    const isBlocked = definition.depends_on.some((id) => !hasOutput(call, id));
    return isBlocked || call.failed ? 'skipped' : 'forgotten';
  }
  const ended = last.ended?.event;
  if (ended?.type !== 'workflow_attempt_failed') return 'under way';
  if (ended.data.next_at !== null) return 'waiting';
  return definition.optional === true ? 'skipped' : 'failed';
}
