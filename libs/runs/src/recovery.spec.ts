import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUTCOME_UNKNOWN, isEndType, isPublicType, sessionStream } from '#domain';
import type { ModelRequest } from '#agent';
import { type RecordedEvent, newEvent } from '#event-log';
import { CountingRandom } from '../../../test/support/counting-random.js';
import { House } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, thought, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import type { StartedRun } from './start/start-run-request.js';

let temp: TempLog;
/** A run of two turns as it went without a fault, and after which of its events an append ended. */
let recorded: RecordedEvent[];
let boundaries: ReadonlySet<number>;
let started: StartedRun;

const CALLS = [toolCall('c1', 'pay', { euros: 5 }), toolCall('c2', 'look', {})];
const PUBLIC = [
  'agent_started',
  'agent_thinking_start',
  'agent_thinking',
  'agent_response_start',
  'agent_response',
  'agent_tool_use_start',
  'agent_tool_use',
  'agent_tool_use_start',
  'agent_tool_use',
  'agent_tool_response',
  'agent_tool_response',
  'agent_step',
  'agent_response_start',
  'agent_response',
  'agent_step',
  'agent_cost',
  'agent_completed',
];

/** Thinks, says something and calls two tools; with their results it answers. `pause` lets what was said get to the log. */
const script =
  (pause: () => Promise<unknown>) =>
  ({ messages }: ModelRequest): ClientStep[] =>
    messages.some((m) => m.role === 'tool')
      ? [text('paid'), pause, text(' five'), pause, done()]
      : [thought('h'), pause, thought('m'), text('let'), pause, text(' me see'), pause, done(...CALLS)];

const noPause = () => Promise.resolve();

function openHouse(boot: string, pause: () => Promise<unknown> = noPause) {
  const pay = new LedgerTool('pay');
  const look = new LedgerTool('look', { isRepeatable: true });
  const house = new House(temp, boot, { script: script(pause), tools: [pay, look] });
  return { house, pay, look };
}

beforeAll(async () => {
  temp = await TempLog.open();
  const { house } = openHouse('recorded', async () => {
    for (const session of house.core.sessions.active())
      while (!session.journal.isQuiet) await new Promise(setImmediate);
  });
  started = await house.run('pay five');
  recorded = await temp.read(sessionStream(started.session));
  const ends: number[] = [];
  for (const { events } of house.log.appends) ends.push((ends.at(-1) ?? 0) + events.length);
  boundaries = new Set(ends);
});
afterAll(() => temp.close());

/** Copies the first `length` events of the recorded run into a session of their own. */
async function copyPrefix(length: number): Promise<StartedRun> {
  const session = `ses_prefix${length}`;
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(started.session, session)) as T;
  const random = new CountingRandom(session);
  const events = recorded
    .slice(0, length)
    .map(({ type, time, data, meta }) =>
      newEvent({ id: random.uuid(), type, time, data: renamed(data) }, renamed(meta)),
    );
  await temp.log.append(sessionStream(session), events, { expected: 'no_stream' });
  return { session, run: renamed(started.run), requested: 1 };
}

const count = (events: readonly RecordedEvent[], type: string) =>
  events.filter((e) => e.type === type).length;
const resultOf = (events: readonly RecordedEvent[], callId: string) =>
  events
    .map((e) => e.data as { call_id?: string; content?: string })
    .filter((data) => data.call_id === callId)
    .map((data) => data.content);

/** Blocks that a crash cut off are closed by the next start; a reader joins the pieces of a block. */
function publicTypes(events: readonly RecordedEvent[], crashedAt: number): string[] {
  const types: string[] = [];
  for (const [i, { type }] of events.entries()) {
    if (!isPublicType(type)) continue;
    if (i === crashedAt) types.splice(types.findLastIndex((t) => !/thinking|response(_start)?$/.test(t)) + 1);
    if ((type === 'agent_response' || type === 'agent_thinking') && types.at(-1) === type) continue;
    types.push(type);
  }
  return types;
}

describe('a run without a fault', () => {
  it('is what the recovered ones are compared with', () => {
    expect(recorded.map((e) => e.type).filter(isPublicType)).toEqual(
      expect.arrayContaining(['agent_thinking', 'agent_response', 'agent_tool_response']),
    );
    expect(publicTypes(recorded, -1)).toEqual(PUBLIC);
    expect(boundaries.size).toBeGreaterThanOrEqual(8);
    expect(recorded.length).toBeGreaterThanOrEqual(25);
  });
});

describe('a process that finds a run as a crash left it', () => {
  it('ends it, from any prefix of its events', async () => {
    for (let length = 4; length <= recorded.length; length++) await recoverFrom(length);
  });

  async function recoverFrom(length: number): Promise<void> {
    const prefix = recorded.slice(0, length);
    const at = await copyPrefix(length);
    const { house, pay, look } = openHouse(`after ${length}`);
    await house.core.recovery.resume(at.session);
    await house.ended(at);
    await house.settled();
    const events = await temp.read(sessionStream(at.session));
    const context = { length, last: prefix.at(-1)?.type };

    // What was there stays, one claim follows, and one end.
    expect({ ...context, ids: events.slice(0, length).map((e) => e.type) }).toEqual({
      ...context,
      ids: prefix.map((e) => e.type),
    });
    expect({ ...context, ends: events.filter((e) => isEndType(e.type)).map((e) => e.type) }).toEqual({
      ...context,
      ends: ['agent_completed'],
    });
    const hadEnded = isEndType(prefix.at(-1)?.type ?? '');
    expect({ ...context, more: events.slice(length, length + 1).map((e) => e.type) }).toEqual({
      ...context,
      more: hadEnded ? [] : ['run_claimed'],
    });
    expect(events.at(-1)?.type).toBe('agent_completed');

    // Finished turns are not asked again.
    expect({ ...context, turns: count(events, 'model_turn_completed') }).toEqual({ ...context, turns: 2 });
    const turnsLeft = 2 - count(prefix, 'model_turn_completed');
    expect({ ...context, asked: house.model.requests.length }).toEqual({ ...context, asked: turnsLeft });
    expect({ ...context, steps: stepsOf(events) }).toEqual({ ...context, steps: ['1', '2'] });

    // A tool is called once for each intent, unless it only looks.
    const hadIntent = count(prefix, 'model_turn_completed') > 0;
    const had = (callId: string) => resultOf(prefix, callId).length > 0;
    expect({ ...context, paid: pay.calls.length }).toEqual({ ...context, paid: hadIntent ? 0 : 1 });
    expect({ ...context, looked: look.calls.length }).toEqual({ ...context, looked: had('c2') ? 0 : 1 });
    const isUnknown = hadIntent && !had('c1');
    expect({ ...context, c1: resultOf(events, 'c1'), c2: resultOf(events, 'c2') }).toEqual({
      ...context,
      c1: [isUnknown ? OUTCOME_UNKNOWN : 'pay did {"euros":5}'],
      c2: ['look did {}'],
    });

    // The agent is told the same as ever, and no text of a turn that was cut off.
    const told = house.model.requests.at(-1)?.messages.slice(1) ?? [];
    if (turnsLeft > 0) expect(told).toEqual(contextOf(isUnknown));
    if (boundaries.has(length)) {
      const types = publicTypes(events, length + 1);
      expect({ ...context, types }).toEqual({ ...context, types: PUBLIC });
    }
    expect({ ...context, errors: house.errors }).toEqual({ ...context, errors: [] });
    expect(house.core.admission.running).toBe(0);
  }

  const stepsOf = (events: readonly RecordedEvent[]) =>
    events.filter((e) => e.type === 'agent_step').map((e) => (e.data as { step: string }).step);

  const contextOf = (isUnknown: boolean) => [
    { role: 'user', content: 'pay five' },
    { role: 'assistant', content: 'let me see', toolCalls: CALLS },
    { role: 'tool', callId: 'c1', content: isUnknown ? OUTCOME_UNKNOWN : 'pay did {"euros":5}' },
    { role: 'tool', callId: 'c2', content: 'look did {}' },
  ];
});
