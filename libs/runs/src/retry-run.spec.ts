import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '#agent';
import { OUTCOME_UNKNOWN, type RunConfig, sessionStream } from '#domain';
import { type RecordedEvent, newEvent } from '#event-log';
import { CountingRandom } from '../../../test/support/counting-random.js';
import { CALLER, House } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import type { StartedRun } from './start/start-run-request.js';

let temp: TempLog;
let recorded: RecordedEvent[];
let first: StartedRun;

const config: RunConfig = { agents: [{ name: 'poet', description: 'writes verse' }] };
const CALLS = [
  toolCall('c1', 'pay', { euros: 5 }),
  toolCall('c2', 'look'),
  toolCall('c3', 'transfer_to_poet'),
];

const script = ({ messages }: ModelRequest): ClientStep[] =>
  messages.some((m) => m.role === 'tool') ? [text('paid'), done()] : [text('let me see'), done(...CALLS)];

function openHouse(boot: string) {
  const pay = new LedgerTool('pay');
  const look = new LedgerTool('look', { isRepeatable: true });
  return { house: new House(temp, boot, { script, tools: [pay, look] }), pay, look };
}

beforeAll(async () => {
  temp = await TempLog.open();
  const { house } = openHouse('recorded');
  first = await house.run('pay five', { config });
  recorded = await temp.read(sessionStream(first.session));
});
afterAll(() => temp.close());

/** The first `length` events of the recorded run in a session of their own, ended there. */
async function brokenAt(
  length: number,
  end: 'agent_error' | 'agent_cancelled',
  name: string = end,
): Promise<StartedRun> {
  const session = `ses_${name.replace('_', '')}${length}`;
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(first.session, session)) as T;
  const random = new CountingRandom(session);
  const events = recorded.slice(0, length);
  const { time, meta } = events.at(-1)!;
  const data = end === 'agent_error' ? { content: 'gone', code: 'timeout', retryable: true } : {};
  const ended = [...events, { type: end, time, data, meta: { ...meta, run: first.run } }];
  const written = ended.map((e) =>
    newEvent({ id: random.uuid(), type: e.type, time: e.time, data: renamed(e.data) }, renamed(e.meta)),
  );
  await temp.log.append(sessionStream(session), written, { expected: 'no_stream' });
  return { session, run: renamed(first.run), requested: 1 };
}

async function retry(
  house: House,
  { run, requested }: StartedRun,
  key?: string,
  terms: { readonly operation?: 'retry_run' } = { operation: 'retry_run' },
): Promise<StartedRun> {
  const idempotency = key === undefined ? {} : { idempotency: { key, payload: run, ...terms } };
  const command = await house.core.retries.commandOf({ run, requested, mcpServers: [] }, CALLER.project, {
    actor: CALLER.actor,
    ...idempotency,
  });
  return house.core.startRun.start(command);
}

const count = (events: readonly RecordedEvent[], type: string, run?: string) =>
  events.filter((e) => e.type === type && (run === undefined || e.meta.run === run)).length;
const resultsOf = (events: readonly RecordedEvent[], callId: string) =>
  events
    .map((e) => e.data as { call_id?: string; content?: string })
    .filter((data) => data.call_id === callId)
    .map((data) => data.content);

describe('a run that is retried', () => {
  it.each(['agent_error', 'agent_cancelled'] as const)(
    'goes on from any of its events at which it ended with %s',
    async (end) => {
      for (let length = 4; length < recorded.length; length++) await goesOnFrom(length, end);
    },
  );

  async function goesOnFrom(length: number, end: 'agent_error' | 'agent_cancelled'): Promise<void> {
    const prefix = recorded.slice(0, length);
    const broken = await brokenAt(length, end);
    const { house, pay, look } = openHouse(`retry ${length} ${end}`);
    const started = await retry(house, broken);
    const last = await house.ended(started);
    await house.settled();
    const events = await temp.read(sessionStream(broken.session));
    const at = { length, last: prefix.at(-1)?.type };
    expect({ ...at, end: last.type }).toEqual({ ...at, end: 'agent_completed' });

    // No finished turn is asked for again.
    const turnsLeft = 2 - count(prefix, 'model_turn_completed');
    expect({ ...at, asked: house.model.requests.length }).toEqual({ ...at, asked: turnsLeft });

    // No call that may have been made is made again, and each has one result.
    const hadIntent = count(prefix, 'model_turn_completed') > 0;
    const had = (callId: string) => resultsOf(prefix, callId).length > 0;
    const isUnknown = hadIntent && !had('c1');
    expect({ ...at, paid: pay.calls.length }).toEqual({ ...at, paid: hadIntent ? 0 : 1 });
    expect({ ...at, looked: look.calls.length }).toEqual({ ...at, looked: had('c2') ? 0 : 1 });
    expect({ ...at, c1: resultsOf(events, 'c1'), c2: resultsOf(events, 'c2') }).toEqual({
      ...at,
      c1: [isUnknown ? OUTCOME_UNKNOWN : 'pay did {"euros":5}'],
      c2: ['look did {}'],
    });
    expect({ ...at, told: count(events, 'agent_tool_response') }).toEqual({ ...at, told: 3 });

    // The model is told what the user said once, and the history holds it once.
    if (turnsLeft > 0)
      expect(house.told(-1).slice(0, 3)).toEqual([
        'user pay five',
        'assistant let me see',
        `tool ${isUnknown ? OUTCOME_UNKNOWN : 'pay did {"euros":5}'}`,
      ]);
    const history = await house.history(broken.session);
    expect(history.filter((line) => line.startsWith('user_message'))).toEqual(['user_message pay five']);
    expect(house.errors).toEqual([]);
  }

  it('is retried once by two who ask at once, and a repeat with its key is the same run', async () => {
    const broken = await brokenAt(4, 'agent_error', 'two');
    const { house } = openHouse('two');
    const keys = ['one', 'another'];
    const both = await Promise.allSettled(keys.map((key) => retry(house, broken, key)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
    const faster = both.findIndex(({ status }) => status === 'fulfilled');
    const repeated = await retry(house, broken, keys[faster]);
    expect(both[faster]).toMatchObject({ value: { run: repeated.run } });
    expect((await house.ended(repeated)).type).toBe('agent_completed');
    expect(await retry(house, broken, keys[faster])).toMatchObject({ run: repeated.run });
  });

  it('is the same run to a repeat over an upgrade, from before retries had keys of their own', async () => {
    const broken = await brokenAt(4, 'agent_error', 'older');
    const { house } = openHouse('older');
    const started = await retry(house, broken, 'older', {});
    expect(await retry(house, broken, 'older')).toMatchObject({ run: started.run });
    expect((await house.ended(started)).type).toBe('agent_completed');
    expect(await retry(house, broken, 'older')).toMatchObject({ run: started.run });
    const other = await brokenAt(4, 'agent_error', 'otherwise');
    expect(await retry(house, other, 'older')).not.toMatchObject({ run: started.run });
  });

  it('goes on with the chain where it is retried itself, after a crash, too', async () => {
    const intent = recorded.findIndex(({ type }) => type === 'model_turn_completed');
    const broken = await brokenAt(intent + 1, 'agent_error', 'chain');
    const hanging: ClientStep[] = ['hang'];
    const one = new House(temp, 'chain one', { script: () => hanging, tools: [new LedgerTool('look')] });
    const second = await retry(one, broken);
    await one.model.asked(1);
    await one.cancel(second);
    await one.ended(second);

    const two = new House(temp, 'chain two', { script: () => hanging });
    const third = await retry(two, second);
    await two.model.asked(1);
    for (const session of two.core.sessions.active()) session.stop();
    await two.settled();

    const { house, pay } = openHouse('chain three');
    await house.core.recovery.resume(broken.session);
    expect((await house.ended(third)).type).toBe('agent_completed');
    const events = await temp.read(sessionStream(broken.session));
    expect(resultsOf(events, 'c1')).toEqual([OUTCOME_UNKNOWN]);
    expect([pay.calls.length, count(events, 'model_turn_completed')]).toEqual([0, 2]);
    expect(house.told(0).filter((line) => line.startsWith('user'))).toEqual(['user pay five']);
    await expect(retry(house, second)).rejects.toMatchObject({ code: 'conflict' });
  });
});
