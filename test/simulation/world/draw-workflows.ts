import type { RetryPolicy, Workflow, WorkflowStep } from '#domain';
import type { Tape } from '../engine/tape.js';
import { STEP_SCHEMA, type StepScript } from './script.js';

const MAX_STEPS = 5;
const WORDS = 3;
const TOOLS = ['read', 'pay', 'read_much', 'broken', 'look', 'order', 'put', 'nope'];
const BACKOFFS: readonly RetryPolicy['backoff'][] = ['none', 'fixed', 'linear', 'exponential'];
const WRONG: readonly StepScript['wrong'][] = ['never', 'first', 'always'];

/** The workflows of a request, which the script calls `flow0` and `flow1`: graphs with all that a step may ask for. */
export function drawWorkflows(tape: Tape, message: number): Workflow[] {
  return Array.from({ length: 1 + tape.choose(2) }, (_, i) => {
    const id = `flow${i}`;
    const count = 1 + tape.choose(MAX_STEPS);
    const steps = Array.from({ length: count }, (_, at) => drawStep(tape, `m${message}.${id}`, at));
    return { id, name: id, description: 'what is to be done', steps };
  });
}

function drawStep(tape: Tape, flow: string, at: number): WorkflowStep {
  const depends_on = Array.from({ length: at }, (_, i) => `s${i}`).filter(() => tape.choose(3) === 2);
  const isJson = tape.choose(3) === 2;
  const script: StepScript = {
    step: `${flow}.s${at}`,
    turns: Array.from({ length: tape.choose(3) }, () =>
      Array.from({ length: 1 + tape.choose(2) }, () => TOOLS[tape.choose(TOOLS.length)] ?? 'read'),
    ),
    words: 1 + tape.choose(WORDS),
    isJson,
    wrong: isJson ? (WRONG[tape.choose(WRONG.length)] ?? 'never') : 'never',
  };
  return {
    id: `s${at}`,
    name: `step ${at}`,
    description: JSON.stringify(script),
    depends_on,
    ...(tape.choose(4) === 3 ? { optional: true } : {}),
    ...(tape.choose(2) === 1 ? { retry_policy: drawPolicy(tape) } : {}),
    ...(isJson ? { output_schema: STEP_SCHEMA } : {}),
  };
}

function drawPolicy(tape: Tape): RetryPolicy {
  const initial_delay_ms = [0, 200, 3_000][tape.choose(3)] ?? 0;
  const backoff = BACKOFFS[tape.choose(BACKOFFS.length)] ?? 'none';
  return { max_attempts: 1 + tape.choose(3), backoff, initial_delay_ms };
}
