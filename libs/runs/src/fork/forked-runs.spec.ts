import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '#agent';
import { type SessionId, isFileRef, sessionStream } from '#domain';
import { MemoryContentKeys } from '#event-log';
import { MemoryFileStore } from '#vault';
import { ForkingHouse } from '../../../../test/support/forking-house.js';
import { type HouseOptions } from '../../../../test/support/house.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { lastUserOf, resultsIn } from '../../../../test/support/run-script.js';
import {
  type ClientScript,
  type ClientStep,
  done,
  text,
  thought,
  toolCall,
} from '../../../../test/support/scripted-client.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { contextAsOf } from '../context-as-of.js';

const keys = new MemoryContentKeys();
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open(keys);
});
afterAll(() => temp.close());

const open = (options: HouseOptions) => new ForkingHouse(temp, keys, `forked runs ${++count}`, options);
const answers = (): ClientStep[] => [text('ok'), done()];
const eventsOf = (session: SessionId) => temp.read(sessionStream(session));

/** What a run would be told that starts there, as `told` says it. */
async function contextAt({ core }: ForkingHouse, session: SessionId, at: number): Promise<string[]> {
  const messages = await contextAsOf(temp.log, { session, at });
  return Promise.all(
    messages.map(async ({ role, content }) => `${role} ${await core.contents.text(session, content)}`),
  );
}

const config = {
  agents: [{ name: 'poet', description: 'writes verse' }],
  approvals: { tools: { pay: 'ask' }, expires_s: 600 },
} as const;

/** Thinks, looks, hands over to the poet, then pays. */
const rich = (request: ModelRequest, n: number): ClientStep[] => {
  if (lastUserOf(request) !== 'everything') return [text(`ok ${n}`), done()];
  const steps = resultsIn(request).length;
  if (steps === 0) return [thought('hm'), text('let me see'), done(toolCall('c1', 'look'))];
  if (steps === 1) return [done(toolCall('c2', 'transfer_to_poet'))];
  return [text('I pay'), done(toolCall('c3', 'pay'))];
};

/** A session with a schedule, a half sentence, a clear, a steered message, a handoff and a call that somebody decides on. */
async function richSession(files: MemoryFileStore): Promise<SessionId> {
  const gate = new Gate();
  const script: ClientScript = (request, n) =>
    n === 1 ? [text('half a '), text('sentence'), gate, done()] : rich(request, n);
  const house = open({ script, tools: [new LedgerTool('look'), new LedgerTool('pay')], files });
  const schedules = [{ schedule: 3_600, message: 'later' }];
  const { session } = await house.run('first', { schedules });
  const cut = await house.start('cut off', { session });
  await gate.reached;
  await house.heard(session, ({ type, meta }) => type === 'agent_response' && meta.run === cut.run);
  await house.start('steers', { session, onBusy: 'steer' });
  await house.cancel(cut);
  await house.ended(cut);
  await house.run('x'.repeat(120_000), { session });
  await house.clear({ session });
  await house.run('after it', { session });
  await house.start('everything', { session, config });
  await house.heard(session, ({ type }) => type === 'run_parked');
  await house.settled();
  return session;
}

describe('a run of a fork', () => {
  it('is told what its parent was at any of its events, here and in a process that reads it', async () => {
    const files = new MemoryFileStore();
    const session = await richSession(files);
    const events = await eventsOf(session);
    const types = new Set(events.map(({ type }) => type));
    for (const type of ['agent_handoff', 'agent_task_scheduled', 'agent_action_required', 'messages_cleared'])
      expect(types).toContain(type);
    expect(events.some(({ data }) => isFileRef((data as { message?: string }).message ?? ''))).toBe(true);
    const here = open({ script: answers, files });
    for (const { revision } of events) {
      const fork = await here.fork(session, revision);
      const shared = await contextAt(here, session, revision);
      expect(await contextAt(here, fork, 0)).toEqual(shared);
      await here.run('and?', { session: fork });
      expect(here.told(-1)).toEqual([...shared, 'user and?']);
      expect((await here.types(fork)).filter((type) => /task|handoff|action/.test(type))).toEqual([]);
      if (revision % 4 > 0) continue;
      const cold = open({ script: answers, files });
      await cold.run('still?', { session: fork });
      expect(cold.told(0)).toEqual([...shared, 'user and?', 'assistant ok', 'user still?']);
    }
  });

  it('finds what lies in files of its line, and stores its own with itself', async () => {
    const files = new MemoryFileStore();
    const [long, longer] = ['x'.repeat(120_000), 'y'.repeat(130_000)];
    const house = open({ script: answers, files });
    const { session } = await house.run(long);
    const middle = await house.fork(session);
    await house.run(longer, { session: middle });
    const leaf = await house.fork(middle);
    const cold = open({ script: answers, files });
    await cold.run('three', { session: leaf });
    const told = [`user ${long}`, 'assistant ok', `user ${longer}`, 'assistant ok', 'user three'];
    expect(cold.told(0)).toEqual(told);
    expect((await eventsOf(leaf)).filter(({ json }) => json.includes('"$file"'))).toEqual([]);
  });

  it('begins with nothing once it was cleared', async () => {
    const house = open({ script: answers });
    const { session } = await house.run('one');
    const fork = await house.fork(session);
    await house.clear({ session: fork });
    await house.run('two', { session: fork });
    expect(house.told(1)).toEqual(['user two']);
    const grandchild = await house.fork(fork);
    const cold = open({ script: answers });
    await cold.run('three', { session: grandchild });
    expect(cold.told(0)).toEqual(['user two', 'assistant ok', 'user three']);
  });

  it('cannot take up a run of its parent', async () => {
    const house = open({ script: () => [text('a'), 'hang'] });
    const first = await house.start('one');
    await house.model.asked(1);
    await house.cancel(first);
    await house.ended(first);
    const fork = await house.fork(first.session);
    const { state } = (await house.core.sessions.get(fork)).journal;
    expect(state).toMatchObject({ broken: null, current: null, waiting: [] });
  });
});
