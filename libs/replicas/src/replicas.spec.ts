import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Draft, type RunConfig, sessionStream } from '#domain';
import { ProcessBackground, SilentLogger } from '#platform';
import { CountingRandom } from '../../../test/support/counting-random.js';
import { House } from '../../../test/support/house.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MemoryHeartbeats, MemoryLeases } from '../../../test/support/memory-replicas.js';
import { done, text } from '../../../test/support/scripted-client.js';
import { SessionTape, opened, requested } from '../../../test/support/session-tape.js';
import { TempLog, appendTape } from '../../../test/support/temp-log.js';
import { Membership } from './membership.js';
import { replicaTimes } from './replica-times.js';
import { Failover } from './failover.js';

const TIMES = replicaTimes(10_000);
const { leaseMs, beatMs, lookMs } = TIMES;
const logger = new SilentLogger();
const background = new ProcessBackground(logger);
/** Until what was started by the clock has come to its next wait; reads of a real log may take longer. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise(setImmediate);
};

let clock: ManualClock;
let heartbeats: MemoryHeartbeats;
let held: number;
beforeEach(() => {
  clock = new ManualClock();
  heartbeats = new MemoryHeartbeats(clock);
  held = 0;
});

async function passed(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= beatMs / 2) {
    clock.advance(Math.min(left, beatMs / 2));
    await settled();
  }
}

async function member(name: string): Promise<Membership> {
  const ports = { heartbeats, clock, background, logger };
  const membership = new Membership(name, TIMES, ports, () => void (held += 1));
  membership.start();
  await settled();
  return membership;
}

it('a take-over begins within the time that the operator gives', () => {
  for (const ms of [1_000, 10_000, 60_000]) {
    const times = replicaTimes(ms);
    expect(times.leaseMs + 2 * times.lookMs).toBeLessThan(ms);
    expect(times.beatMs * 4).toBeLessThan(times.leaseMs);
  }
});

describe('a replica', () => {
  it('holds its lease while it can renew it, and again when it can again', async () => {
    const membership = await member('a');
    expect(membership.isHeld).toBe(true);
    await passed(3 * leaseMs);
    expect(membership.isHeld).toBe(true);
    heartbeats.isDown = true;
    await passed(leaseMs + beatMs);
    expect(membership.isHeld).toBe(false);
    expect(membership.problem).toMatch('the heartbeats are down');
    heartbeats.isDown = false;
    await passed(beatMs);
    expect([membership.isHeld, membership.problem, held]).toEqual([true, null, 2]);
    await membership.leave();
  });

  it('does not hold it when it was frozen for longer', async () => {
    const membership = await member('a');
    clock.advance(0);
    heartbeats.isDown = true;
    clock.advance(leaseMs);
    expect(membership.isHeld).toBe(false);
    await membership.leave();
  });

  it('knows who is silent, who is gone, and of the unheard only when it was heard itself for long enough', async () => {
    const membership = await member('a');
    for (const other of ['b', 'c']) await heartbeats.beat(other, leaseMs);
    await membership.look();
    const states = () => ['a', 'b', 'c', 'nobody'].map((name) => membership.stateOf(name));
    expect(states()).toEqual(['alive', 'alive', 'alive', 'alive']);
    await heartbeats.leave('c');
    await passed(leaseMs + beatMs);
    await membership.look();
    expect(states()).toEqual(['alive', 'silent', 'gone', 'gone']);
    await passed(2 * leaseMs);
    await membership.look();
    expect(states()).toEqual(['alive', 'gone', 'gone', 'gone']);
    await heartbeats.beat('b', leaseMs);
    await membership.look();
    expect(membership.stateOf('b')).toBe('alive');
    await membership.leave();
  });

  it('knows at once that one has ended, and of a cut connection when it stays cut', async () => {
    const membership = await member('a');
    for (const other of ['b', 'c', 'd']) await heartbeats.beat(other, leaseMs);
    heartbeats.signs.set('b', 'ended').set('c', 'cut').set('d', 'cut');
    const states = async () => {
      await membership.look();
      return ['b', 'c', 'd'].map((name) => membership.stateOf(name));
    };
    expect(await states()).toEqual(['gone', 'alive', 'alive']);
    clock.advance(lookMs);
    heartbeats.signs.delete('d');
    expect(await states()).toEqual(['gone', 'alive', 'alive']);
    heartbeats.signs.set('d', 'cut');
    clock.advance(lookMs);
    expect(await states()).toEqual(['gone', 'gone', 'alive']);
    await membership.leave();
  });
});

describe('the runs of a silent replica', () => {
  let temp: TempLog;
  let count = 0;
  beforeAll(async () => void (temp = await TempLog.open()));
  afterAll(() => temp.close());

  interface World {
    readonly house: House;
    readonly session: string;
    readonly leases: MemoryLeases;
    readonly looks: () => number;
    readonly close: () => Promise<void>;
  }

  /** A run that the replica `dead` claimed and one that it accepted, in a house that looks for silent replicas. */
  async function world(config: RunConfig): Promise<World> {
    const session = `ses_silent${++count}`;
    const [a, b] = [`run_${session}_a`, `run_${session}_b`];
    const asked = (message: string): Draft => {
      const draft = requested(message) as Extract<Draft, { type: 'run_requested' }>;
      return { ...draft, data: { ...draft.data, replica: 'dead', config } };
    };
    const claim: Draft = { type: 'run_claimed', data: { worker: 'dead:1', epoch: 1, requested: 1 } };
    const tape = new SessionTape().add(undefined, opened).add(a, asked('one'), claim);
    tape.add(a, { type: 'agent_started', data: {} }).add(b, asked('two'));
    await appendTape(temp, session, tape);
    const house = new House(temp, `silent ${count}`, { script: () => [text('ok'), done()] });
    const membership = await member('r1');
    let looks = 0;
    const sessions = (): Promise<string[]> => {
      looks += 1;
      return Promise.resolve([session]);
    };
    const { log, core } = house;
    const leases = new MemoryLeases(clock);
    await leases.take('projector', 'dead', 1_000_000);
    const ports = { membership, leases, log, clock, background, logger, unfinished: { sessions } };
    const random = new CountingRandom('take over');
    const takeOver = new Failover({ ...ports, random, contents: core.contents, recovery: core.recovery });
    await heartbeats.beat('dead', leaseMs);
    takeOver.start();
    await settled();
    const close = async (): Promise<void> => {
      takeOver.stop();
      await membership.leave();
      await house.settled();
    };
    return { house, session, leases, looks: () => looks, close };
  }

  const types = (session: string) => temp.typesOf(sessionStream(session));
  const ends = async (session: string) => (await types(session)).filter((type) => type === 'agent_completed');

  it('go on here, and those that it had accepted, too', async () => {
    const { house, session, close } = await world({});
    expect(await types(session)).toHaveLength(5);
    while ((await ends(session)).length < 2) await passed(lookMs);
    await house.ended({ session, run: `run_${session}_b`, requested: 4 });
    await close();
  });

  it('are left to it while it lives', async () => {
    const { session, looks, close } = await world({});
    while (looks() < 3) {
      await heartbeats.beat('dead', leaseMs);
      await passed(lookMs);
      await types(session);
    }
    expect(await types(session)).toHaveLength(5);
    await close();
  });

  it('wait for three leases where a claim would end them: those with tool servers', async () => {
    const { house, session, looks, close } = await world({ mcp_servers: ['files'] });
    const before = looks();
    // Between one lease and three: it is looked at, and left.
    clock.advance(2 * leaseMs);
    while (looks() < before + 2) {
      clock.advance(1);
      await settled();
      await types(session);
      if (clock.now() > 1_000_000 + 2.9 * leaseMs) break;
    }
    expect(looks()).toBeGreaterThan(before);
    expect(await types(session)).toHaveLength(5);
    while ((await ends(session)).length < 2) await passed(lookMs);
    await house.ended({ session, run: `run_${session}_b`, requested: 4 });
    await close();
  });

  it('go on at once where its end is certain, also those with tool servers, and its leases are free', async () => {
    const { house, session, leases, looks, close } = await world({ mcp_servers: ['files'] });
    const since = clock.now();
    expect(await leases.take('projector', 'r1', 1_000)).toBeNull();
    heartbeats.signs.set('dead', 'ended');
    const before = looks();
    while ((await ends(session)).length < 2 && clock.now() - since < leaseMs / 2) await passed(lookMs);
    expect(await ends(session)).toHaveLength(2);
    expect(await leases.take('projector', 'r1', 1_000)).toBe(2);
    // The lists may have been late: they are looked at again.
    while (clock.now() - since < 2 * leaseMs) await passed(lookMs);
    expect(looks() - before).toBeGreaterThanOrEqual(3);
    await house.ended({ session, run: `run_${session}_b`, requested: 4 });
    await close();
  });

  it('are not looked for by a replica that cannot renew its own heartbeat', async () => {
    const { session, looks, close } = await world({});
    heartbeats.isDown = true;
    const before = looks();
    await passed(4 * leaseMs);
    expect(looks()).toBe(before);
    expect(await types(session)).toHaveLength(5);
    heartbeats.isDown = false;
    await close();
  });
});
