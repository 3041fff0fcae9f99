import type { ModelRequest } from '#agent';
import type { RunConfig } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { DecisionRequest } from '#runs';
import type { FixtureOptions } from './mcp-servers/mcp-fixture.js';
import { isFinalAsked, lastUserOf, stepAsked } from './run-script.js';
import { type ClientStep, done, text, toolCall } from './scripted-client.js';
import { stepOf, workflowOf } from './workflows.js';

/** A call that the model makes in a story. Its argument `key` is the id, so the server's ledger tells them apart. */
export interface StoryCall {
  readonly isRepeatable?: true;
  /** Who has to do something first, and what comes of it. */
  readonly decision?: DecisionRequest;
  /** The key with which the call reaches the server; null: it reaches no server. Absent: its own. */
  readonly madeAs?: string | null;
  /** What is in its result, where it was made, answered or denied. Absent: what the server's tools say. */
  readonly result?: string;
}

/** A message that comes while the model speaks, in the run that is recorded; otherwise nothing. */
export type Steer = (message: string) => ClientStep;

/** A run that a person, a caller or a workflow may have part in; what the model says follows from what it is told. */
export interface RetryStory {
  readonly name: string;
  readonly wire: NonNullable<FixtureOptions['wire']>;
  readonly config: RunConfig;
  readonly calls: Readonly<Record<string, StoryCall>>;
  /** What the main agent says, a turn each. */
  readonly texts: readonly string[];
  readonly says: (request: ModelRequest, steer: Steer) => readonly ClientStep[];
  /** How many turns the run has in all that goes on from here; absent: as many as the one that was recorded. */
  readonly turnsFrom?: (prefix: readonly RecordedEvent[]) => number;
}

/** The tools of the server: of `pay` and `sell` nobody knows whether they may be repeated. */
export const SHOP = {
  tools: ['pay', 'look', 'sell', 'peek'].map((name) => ({
    name,
    inputSchema: { type: 'object' as const, properties: { key: { type: 'string' } } },
    annotations: { readOnlyHint: name === 'look' || name === 'peek' },
  })),
};

const call = (id: string, tool: string) => toolCall(id, tool, { key: id });
const pieces = (...parts: readonly string[]): readonly ClientStep[] => [...parts.map(text), done()];
const turnsOf = ({ messages }: ModelRequest): number =>
  messages.filter(({ role }) => role === 'assistant').length;
const REPEATABLE: StoryCall = { isRepeatable: true };
const base: RunConfig = { mcp_servers: ['shop'], streaming_tokens: true };

const plain: RetryStory = {
  name: 'calls, several in a turn',
  wire: 'modern',
  config: base,
  calls: { p1: {}, p2: REPEATABLE, p3: {}, p4: {}, p5: REPEATABLE },
  texts: ['let me see', 'all done'],
  says: (request) =>
    [
      [text('let '), text('me see'), done(call('p1', 'pay'), call('p2', 'look'), call('p3', 'pay'))],
      [done(call('p4', 'pay'), call('p5', 'look'))],
      pieces('all ', 'done'),
    ][turnsOf(request)] ?? [],
};

const WORK: StoryCall = { isRepeatable: true, madeAs: null, result: '"status":"completed"' };

function saysOfWork(request: ModelRequest): readonly ClientStep[] {
  if (turnsOf(request) > 0) return pieces('worked ', 'well');
  return [text('I '), text('work'), done(toolCall('w1', 'run_workflow', { workflow_id: 'w' }))];
}

function saysInStep(step: string, request: ModelRequest): readonly ClientStep[] {
  const isFirst = turnsOf(request) === 0;
  const isAgain = lastUserOf(request).includes('earlier attempt');
  switch (step) {
    case 'a':
      return isFirst ? [done(call('a1', 'pay'), call('a2', 'look'))] : pieces('output of a');
    case 'b':
      if (isAgain) return isFirst ? [done(call('b2', 'pay'), call('b3', 'look'))] : pieces('{"ok":true}');
      return isFirst ? [done(call('b1', 'pay'))] : pieces('no');
    default:
      return isFirst ? [done(call('c1', 'look'))] : pieces('output of c');
  }
}

const workflow: RetryStory = {
  name: 'steps of a workflow at the same time, one of which fails at first',
  wire: 'modern',
  config: {
    ...base,
    workflows: [
      workflowOf(
        stepOf('a'),
        stepOf('b', [], {
          retry_policy: { max_attempts: 2, backoff: 'fixed', initial_delay_ms: 1000 },
          output_schema: { type: 'object' },
        }),
        stepOf('c', ['a', 'b']),
      ),
    ],
  },
  calls: { w1: WORK, a1: {}, a2: REPEATABLE, b1: {}, b2: {}, b3: REPEATABLE, c1: REPEATABLE },
  texts: ['I work', 'worked well'],
  says: (request) => {
    const step = stepAsked(request);
    return step === null ? saysOfWork(request) : saysInStep(step, request);
  },
};

const ANSWERED: StoryCall = {
  decision: { decision: 'answer', result: { value: 'blue' } },
  madeAs: null,
  result: 'blue',
};

const approvals: RetryStory = {
  name: 'calls that a person releases, changes or denies',
  wire: 'streamable',
  config: { ...base, approvals: { tools: { sell: 'ask', peek: 'ask' } } },
  calls: {
    s1: { decision: { decision: 'approve', input: { value: { key: 's1 less' } } }, madeAs: 's1 less' },
    s2: { decision: { decision: 'deny', reason: 'too much' }, madeAs: null, result: 'denied: too much' },
    s3: REPEATABLE,
    s4: { decision: { decision: 'approve' }, isRepeatable: true },
    s5: {},
    s6: { decision: { decision: 'approve' } },
  },
  texts: ['may I', 'so be it'],
  says: (request) =>
    [
      [text('may '), text('I'), done(call('s1', 'sell'), call('s2', 'sell'), call('s3', 'look'))],
      [done(call('s4', 'peek'), call('s5', 'pay'), call('s6', 'sell'))],
      pieces('so be ', 'it'),
    ][turnsOf(request)] ?? [],
};

const ASK_USER = { name: 'ask_user', description: 'asks the user', parameters: { type: 'object' } };

const waitingSteps: RetryStory = {
  name: 'steps of a workflow that wait for a person and for the caller',
  wire: 'modern',
  config: {
    ...base,
    tools: [ASK_USER],
    approvals: { tools: { sell: 'ask' } },
    workflows: [workflowOf(stepOf('a'), stepOf('b'), stepOf('c', ['a', 'b']))],
  },
  calls: {
    w1: WORK,
    a1: { decision: { decision: 'approve', input: { value: { key: 'a1 less' } } }, madeAs: 'a1 less' },
    a2: REPEATABLE,
    b1: ANSWERED,
    b2: {},
    c1: { decision: { decision: 'deny', reason: 'too much' }, madeAs: null, result: 'denied: too much' },
  },
  texts: ['I work', 'worked well'],
  says: (request) => {
    const calls = {
      a: [call('a1', 'sell'), call('a2', 'look')],
      b: [call('b1', 'ask_user'), call('b2', 'pay')],
      c: [call('c1', 'sell')],
    }[stepAsked(request) ?? ''];
    if (calls === undefined) return saysOfWork(request);
    return turnsOf(request) === 0 ? [done(...calls)] : pieces('output');
  },
};

const callers: RetryStory = {
  name: "a caller's tool beside the server's",
  wire: 'modern',
  config: {
    ...base,
    tools: [ASK_USER],
  },
  calls: { u1: ANSWERED, u2: {}, u3: REPEATABLE, u4: ANSWERED, u5: {} },
  texts: ['which one', 'as you wish'],
  says: (request) =>
    [
      [text('which '), text('one'), done(call('u1', 'ask_user'), call('u2', 'pay'), call('u3', 'look'))],
      [done(call('u4', 'ask_user'), call('u5', 'pay'))],
      pieces('as you ', 'wish'),
    ][turnsOf(request)] ?? [],
};

const steering: RetryStory = {
  name: 'messages that come meanwhile',
  wire: 'modern',
  config: base,
  calls: { m1: {}, m2: REPEATABLE },
  texts: ['let me see', 'it is green', 'it is red'],
  says: (request, steer) =>
    [
      [text('let '), steer('faster'), text('me see'), done(call('m1', 'pay'), call('m2', 'look'))],
      [text('it is '), steer('and in red'), text('green'), done()],
      pieces('it is ', 'red'),
    ][turnsOf(request)] ?? [],
  // What comes before the last turn is complete is told before that is asked again.
  turnsFrom: (prefix) => {
    const [, second = Infinity] = [...prefix.keys()].filter((at) => prefix[at]?.type === 'run_steered');
    const since = prefix.slice(second);
    const told = since.findIndex(({ type }) => type === 'agent_steered');
    const before = told < 0 ? since : since.slice(0, told);
    return before.some(({ type }) => type === 'model_turn_completed') ? 3 : 2;
  },
};

const final: RetryStory = {
  name: 'final output that is repaired once',
  wire: 'modern',
  config: {
    ...base,
    final_output: { name: 'count', schema: { type: 'object', required: ['n'] } },
  },
  calls: { f1: {}, f2: REPEATABLE },
  texts: ['it is six'],
  says: (request) => {
    if (isFinalAsked(request)) {
      const isRepair = lastUserOf(request).includes('does not match');
      return isRepair ? pieces('{"n":6}') : pieces('{"m":6}');
    }
    return turnsOf(request) === 0 ? [done(call('f1', 'pay'), call('f2', 'look'))] : pieces('it is ', 'six');
  },
};

export const RETRY_STORIES: readonly RetryStory[] = [
  plain,
  workflow,
  approvals,
  waitingSteps,
  callers,
  steering,
  final,
];
