import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { newEvent, type Position, type RecordedEvent } from '../envelope.js';
import {
  CheckpointRefused,
  Follower,
  type FollowerBatch,
  type FollowerOptions,
  type FollowerTarget,
} from './follower.js';
import { SqliteEventLog } from '../sqlite/sqlite-event-log.js';

/** A target in memory that refuses a batch which does not begin at its checkpoint. */
class MemoryTarget implements FollowerTarget {
  readonly batches: FollowerBatch[] = [];
  readonly parked: RecordedEvent[] = [];
  checkpoint: { logId: string; position: Position } | null = null;
  beforeApply: (batch: FollowerBatch) => void = () => {};
  afterApply: (batch: FollowerBatch) => void = () => {};

  get ids(): string[] {
    return this.batches.flatMap(({ events }) => events.map((event) => event.id));
  }

  async load() {
    return this.checkpoint;
  }

  async apply(batch: FollowerBatch): Promise<void> {
    this.beforeApply(batch);
    if (batch.from !== (this.checkpoint?.position ?? 0))
      throw new Error(`checkpoint is not at ${batch.from}`);
    this.batches.push(batch);
    this.checkpoint = { logId: batch.logId, position: batch.to };
    this.afterApply(batch);
  }

  async park(event: RecordedEvent): Promise<void> {
    this.parked.push(event);
  }
}

const random = new SystemRandom();
const logger = new SilentLogger();
const meta = { schemaVersion: 1, project: 'p', actor: 'k' };
let folder: string;
let log: SqliteEventLog;
let target: MemoryTarget;
let fatal: unknown[];
let followers: Follower[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'annals-follower-'));
  log = await SqliteEventLog.open({ folder, logger, reserveBytes: 0 });
  target = new MemoryTarget();
  fatal = [];
  followers = [];
});

afterEach(async () => {
  await Promise.all(followers.map((follower) => follower.stop()));
  await log.close();
  await rm(folder, { recursive: true });
});

function follow(options: Partial<FollowerOptions> = {}): Follower {
  const follower = new Follower(
    { name: 'test', prefixes: ['a-'], target, onFatal: (error) => fatal.push(error), ...options },
    { log, clock: new SystemClock(), random, background: new ProcessBackground(logger), logger },
  );
  followers.push(follower);
  follower.start();
  return follower;
}

async function append(stream: string, count: number): Promise<{ ids: string[]; position: Position }> {
  const events = Array.from({ length: count }, (_, n) =>
    newEvent({ id: random.uuid(), type: 't', time: Date.now(), data: { n } }, meta),
  );
  const result = await log.append(stream, events, { expected: 'any' });
  return { ids: events.map((event) => event.id), position: result.kind === 'appended' ? result.position : 0 };
}

test('applies what matches, in order, in batches that join', async () => {
  const early = await append('a-1', 2_600);
  const follower = follow();
  await append('b-1', 10);
  const late = await append('a-2', 3);
  await follower.reached(late.position);
  expect(target.ids).toEqual([...early.ids, ...late.ids]);
  expect(target.batches.every(({ events }) => events.length <= 2_000)).toBe(true);
  expect(target.batches.map(({ from }) => from)).toEqual(
    [0, ...target.batches.map(({ to }) => to)].slice(0, -1),
  );
  expect(follower.position).toBe(late.position);
  expect(await follower.status()).toMatchObject({
    state: 'running',
    position: late.position,
    lagMs: 0,
    failures: 0,
  });
});

test('gathers events until somebody waits for them', async () => {
  const follower = follow({ batchMs: 60_000 });
  const early = await append('a-1', 1);
  await follower.reached(early.position);
  const later = [await append('a-2', 2), await append('a-1', 1)];
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(target.ids).toEqual(early.ids);
  await follower.reached(later[1]!.position);
  expect(target.ids).toEqual([...early.ids, ...later.flatMap(({ ids }) => ids)]);
  expect(target.batches).toHaveLength(2);
});

test('a waiter is served although the events of his position are not for the follower', async () => {
  const follower = follow({ batchMs: 60_000 });
  const { position } = await append('b-1', 1);
  await follower.reached(position);
  expect(target.ids).toEqual([]);
});

test('goes on behind a batch that was applied although it failed', async () => {
  const { ids, position } = await append('a-1', 10);
  let failures = 2;
  target.afterApply = () => {
    if (failures-- > 0) throw new Error('connection lost after commit');
  };
  const follower = follow({ maxBatchEvents: 4 });
  await follower.reached(position);
  expect(target.ids).toEqual(ids);
});

test('goes on behind a rival that moved the checkpoint', async () => {
  const { ids, position } = await append('a-1', 10);
  let isFirst = true;
  target.beforeApply = ({ logId, events }) => {
    if (isFirst) target.checkpoint = { logId, position: events[3]!.position };
    isFirst = false;
  };
  const follower = follow();
  await follower.reached(position);
  expect(target.ids).toEqual(ids.slice(4));
});

test('a poison event is parked, alone', async () => {
  const { ids, position } = await append('a-1', 40);
  const poison = ids[17]!;
  target.beforeApply = ({ events }) => {
    if (events.some((event) => event.id === poison)) throw new Error('poison');
  };
  const follower = follow();
  await follower.reached(position);
  expect(target.parked.map((event) => event.id)).toEqual([poison]);
  expect(target.ids).toEqual(ids.filter((id) => id !== poison));
  expect(await follower.status()).toMatchObject({ parked: 1 });
});

test('nothing is parked for a failure that passes', async () => {
  const { ids, position } = await append('a-1', 1);
  let failures = 4;
  target.beforeApply = () => {
    if (failures-- > 0) throw new Error('no connection');
  };
  const follower = follow({ target: Object.assign(target, { isTransient: () => true }) });
  await follower.reached(position);
  expect(target.parked).toEqual([]);
  expect(target.ids).toEqual(ids);
});

test.each([
  { what: 'of another log', logId: 'another', position: 1 },
  { what: 'beyond the head', logId: null, position: 99 },
])('a checkpoint $what is fatal', async ({ logId, position }) => {
  await append('a-1', 2);
  target.checkpoint = { logId: logId ?? log.logId, position };
  const follower = follow();
  await expect(follower.reached(100)).rejects.toThrow('failed');
  expect(fatal).toEqual([expect.any(CheckpointRefused)]);
});

test('a log that ends under it is fatal, a stop is not', async () => {
  const stopped = follow({ name: 'stopped' });
  const waiting = expect(stopped.reached(1_000)).rejects.toThrow('stopped');
  await stopped.stop();
  await waiting;
  expect(fatal).toEqual([]);
  const orphan = follow({ name: 'orphan' });
  await orphan.reached((await append('a-1', 1)).position);
  const failing = expect(orphan.reached(1_000)).rejects.toThrow('failed');
  await log.close();
  await failing;
  expect(fatal).toHaveLength(1);
});

test('a waiter may give up', async () => {
  const follower = follow();
  const controller = new AbortController();
  const waiting = expect(follower.reached(1_000, controller.signal)).rejects.toThrow('enough');
  controller.abort(new Error('enough'));
  await waiting;
});
