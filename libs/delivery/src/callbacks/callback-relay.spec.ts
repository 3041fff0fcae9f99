import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveryStream } from '#domain';
import { LogUnavailable } from '#event-log';
import {
  type Life,
  RelayWorld,
  SECRET,
  answered,
  unreachable,
} from '../../../../test/support/relay-fixture.js';
import { unavailable } from '../../../../test/support/scripted-log.js';
import { TempLog } from '../../../../test/support/temp-log.js';

describe('a relay', () => {
  let temp: TempLog;
  let world: RelayWorld;
  beforeEach(async () => {
    temp = await TempLog.open();
    world = new RelayWorld(temp);
  });
  afterEach(() => temp.close());

  const statuses = async (run: string) => (await world.listed(run)).map(({ status }) => status);
  const settled = (run: string) => async () =>
    (await statuses(run)).every((status) => status !== 'pending' && status !== 'retrying');

  it('sends the events of a run in order, and nothing of runs without a callback', async () => {
    const run = await world.addRun('a', 5);
    world.relay();
    await world.until(settled(run));
    expect(world.of(run).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(world.sent.map(({ body }) => JSON.parse(body) as object)).toEqual([
      { type: 'agent_started', session: 'ses_a' },
      { type: 'agent_response', session: 'ses_a', content: 'piece 0' },
      { type: 'agent_response', session: 'ses_a', content: 'piece 1' },
      { type: 'agent_response', session: 'ses_a', content: 'piece 2' },
      { type: 'agent_completed', session: 'ses_a' },
    ]);
  });

  it('takes a breath where the log ends its subscription, as one that is closed does', async () => {
    const run = await world.addRun('a', 5);
    world.script = () => answered(503);
    const { log } = world.relay();
    await world.until(() => world.sent.length > 0);
    log.isClosed = true;
    await world.until(() => log.askedInVain > 0);
    await world.rest();
    expect(log.askedInVain).toBeLessThan(5);
    log.isClosed = false;
    world.script = () => answered(204);
    await world.until(settled(run));
    expect(world.errors).toEqual([]);
  });

  it('waits with a later event until the earlier one came through, under one id, each attempt signed anew', async () => {
    const run = await world.addRun('a', 3);
    world.script = (_, n) => answered(n < 4 ? 503 : 200);
    world.relay();
    await world.until(settled(run));
    expect(world.of(run).map(({ sequence }) => sequence)).toEqual([1, 1, 1, 1, 1, 2, 3]);
    const first = world.of(run).slice(0, 5);
    expect(new Set(first.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(first.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    const [retryMs = 0] = first.slice(1).map(({ at }, i) => at - first[i]!.at);
    expect(retryMs).toBeLessThanOrEqual(5000);
    const webhook = new Webhook(SECRET);
    // The library compares with today's time; the signature is checked by signing again.
    for (const { headers, body } of first) {
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      expect(webhook.sign(headers['webhook-id'] ?? '', at, body)).toBe(headers['webhook-signature']);
    }
  });

  it('gives up after ten attempts within about a day, and stops the later ones', async () => {
    const run = await world.addRun('a', 3);
    world.script = () => unreachable;
    world.relay();
    await world.until(settled(run));
    expect(world.of(run).map(({ sequence }) => sequence)).toEqual(Array(10).fill(1));
    const hours = (world.sent.at(-1)!.at - world.sent[0]!.at) / 3_600_000;
    expect(hours).toBeGreaterThan(20);
    expect(hours).toBeLessThan(28);
    expect(await world.listed(run)).toMatchObject([
      { status: 'failed', attempts: 10, last_status: null, last_error: 'the connection was refused' },
      { status: 'stopped', attempts: 0 },
      { status: 'stopped', attempts: 0 },
    ]);
  });

  it('stops at 410 at once, heeds Retry-After, and counts a redirect as a failure', async () => {
    const [gone, busy, moved] = [
      await world.addRun('gone', 2, 'gone'),
      await world.addRun('busy', 2, 'busy'),
      await world.addRun('moved', 2, 'moved'),
    ];
    world.script = ({ run, sequence }) => {
      if (run === gone) return answered(410);
      const isFirst = world.of(run).length === 1 && sequence === 1;
      if (run === busy) return isFirst ? answered(429, { retryAfter: '90' }) : answered(200);
      return isFirst ? answered(302) : answered(200);
    };
    world.relay();
    for (const run of [gone, busy, moved]) await world.until(settled(run));
    expect(await statuses(gone)).toEqual(['failed', 'stopped']);
    expect(world.of(gone)).toHaveLength(1);
    const [first, second] = world.of(busy);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(90_000);
    expect(second!.at - first!.at).toBeLessThan(91_000);
    expect(await statuses(moved)).toEqual(['delivered', 'delivered']);
    expect(world.of(moved).map(({ url }) => new URL(url).host)).toEqual(Array(3).fill('moved.example.org'));
  });

  it('is not held up by a receiver that hangs', async () => {
    const hung = [await world.addRun('h1', 2, 'hung'), await world.addRun('h2', 2, 'hung')];
    const run = await world.addRun('a', 20);
    world.script = (sent) => (hung.includes(sent.run) ? new Promise(() => undefined) : answered(200));
    world.relay();
    await world.until(settled(run));
    expect(await statuses(hung[0]!)).toEqual(['pending', 'pending']);
  });

  it('keeps what receivers answer, but not what they were told in confidence', async () => {
    const run = await world.addRun('a', 2);
    const body = 'got Bearer abcdef for https://receiver.example.org/hook?token=a-secret-token';
    world.script = () => answered(200, { body });
    world.relay();
    await world.until(settled(run));
    const [first] = await world.listed(run);
    expect(first?.last_response).toMatch(/^got /);
    const written = JSON.stringify(await temp.read(deliveryStream(run)));
    for (const secret of ['abcdef', 'a-secret-token']) expect(written).not.toContain(secret);
    const requests = (await temp.read('session-ses_a')).map(({ json }) => json).join();
    for (const secret of ['abcdef', 'a-secret-token', 'example.org']) expect(requests).not.toContain(secret);
  });

  it('sends a delivery again when asked, once, also after the run is settled', async () => {
    const run = await world.addRun('a', 3);
    world.relay();
    await world.until(settled(run));
    const [, second] = await world.listed(run);
    const asked = await world.deliveries.resend(world.place(run), second!.delivery_id, {
      project: 'p',
      actor: 'key_1',
    });
    expect(asked).toMatchObject({ status: 'pending', sequence: 2 });
    await world.until(async () => (await world.listed(run))[1]?.attempts === 2);
    await world.rest();
    expect(world.of(run).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 2]);
    expect(new Set(world.of(run).map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('tries at once what waits for its next attempt when it is asked for', async () => {
    const run = await world.addRun('a', 2);
    let isUp = false;
    world.script = () => (isUp ? answered(200) : unreachable);
    world.relay();
    await world.until(() => world.sent.length === 4);
    isUp = true;
    const [first] = await world.listed(run);
    await world.until(async () => (await world.listed(run))[0]?.attempts === 4);
    const at = world.clock.now();
    await world.deliveries.resend(world.place(run), first!.delivery_id, { project: 'p', actor: 'k' });
    await world.until(settled(run));
    expect(world.sent[4]!.at - at).toBeLessThan(2000);
    expect(world.of(run).map(({ sequence }) => sequence)).toEqual([1, 1, 1, 1, 1, 2]);
  });

  it('goes on after a stop with its checkpoint, and without one sends nothing again that was delivered', async () => {
    const runs = [await world.addRun('a', 4), await world.addRun('b', 4, 'down')];
    let isUp = false;
    world.script = ({ run }) => (run === runs[0] || isUp ? answered(200) : unreachable);
    const first = world.relay();
    await world.until(settled(runs[0]!));
    await world.until(() => world.of(runs[1]!).length === 2);
    let isStopped = false;
    void first.relay.stop(0).then(() => (isStopped = true));
    await world.until(() => isStopped);
    expect(await temp.typesOf('relay-callbacks')).toEqual(['relay_checkpointed']);
    first.kill();
    isUp = true;
    const before = world.of(runs[0]!).length;
    world.relay();
    await world.until(settled(runs[1]!));
    expect(world.of(runs[0]!)).toHaveLength(before);
    expect(world.errors).toEqual([]);
  });

  const stop = async (life: Life): Promise<void> => {
    let isStopped = false;
    void life.relay.stop(0).then(() => (isStopped = true));
    await world.until(() => isStopped);
    life.kill();
  };

  it('comes back to the runs of its checkpoint although reads of them lag', async () => {
    const run = await world.addRun('a', 3);
    world.script = () => unreachable;
    const first = world.relay();
    await world.until(() => world.sent.length === 1);
    await stop(first);
    world.script = () => answered(200);
    const { log } = world.relay();
    log.lag = { stream: 'session-ses_a', upTo: 0, reads: [1, 2] };
    await world.until(settled(run));
    expect(await statuses(run)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  it('comes back to a run whose stream could not be read while its batch was taken again', async () => {
    const [first, second] = [await world.addRun('a', 2), await world.addRun('b', 2)];
    const gate = Promise.withResolvers<void>();
    const broken = new Set([first, second].map((run) => deliveryStream(run)));
    const { log } = world.relay();
    log.beforeRead = async (stream) => {
      if (!broken.delete(stream)) return;
      // The batch fails by the first run, and is taken again, before the second run fails.
      if (stream === deliveryStream(second)) await gate.promise;
      throw new LogUnavailable('scripted');
    };
    await world.until(() => world.of(first).length > 0);
    gate.resolve();
    await world.until(settled(second));
    expect(await statuses(second)).toEqual(['delivered', 'delivered']);
  });

  it('comes back to a run whose last attempts it could not write', async () => {
    const run = await world.addRun('a', 2);
    const first = world.relay();
    first.log.refused = 'delivery-';
    await world.until(() => world.sent.length === 2);
    await stop(first);
    expect(await temp.typesOf(deliveryStream(run))).toEqual([]);
    world.relay();
    await world.until(settled(run));
    expect(await statuses(run)).toEqual(['delivered', 'delivered']);
  });

  it('sends nothing more when another one gave up or was done while it waited for an answer', async () => {
    const [left, done] = [await world.addRun('left', 4), await world.addRun('done', 4)];
    const gate = Promise.withResolvers<void>();
    world.script = async ({ run, sequence }) => {
      // It hears of it when it writes down its first attempt.
      if (sequence === 1) await world.attempted(run, run === left ? [200, 200, 410] : [200, 200, 200, 200]);
      if (sequence === 2) await gate.promise;
      return answered(200);
    };
    const { relay } = world.relay();
    await world.until(() => world.sent.length === 4);
    await world.until(async () => (await temp.read(deliveryStream(done))).length === 5);
    await world.until(async () => (await temp.read(deliveryStream(left))).length === 4);
    gate.resolve();
    await world.until(() => relay.open === 0);
    for (const run of [left, done]) expect(world.of(run).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('stops although the log takes nothing any more', async () => {
    const run = await world.addRun('a', 2);
    const { relay, log } = world.relay();
    await world.until(async () => (await world.recorded(run)).size === 2);
    log.next(unavailable);
    let isStopped = false;
    void relay.stop(0).then(() => (isStopped = true));
    await world.until(() => isStopped);
    expect(await temp.typesOf('relay-callbacks')).toEqual([]);
  });
});
