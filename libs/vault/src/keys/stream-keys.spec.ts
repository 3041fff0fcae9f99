import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventLog, MemoryContentKeys, newEvent } from '#event-log';
import { SealedEventLog } from '../sealed-event-log.js';
import { StreamKeys } from './stream-keys.js';
import { CountingRandom } from '../../../../test/support/counting-random.js';
import { ScriptedLog, lost, unavailable } from '../../../../test/support/scripted-log.js';
import { TempLog } from '../../../../test/support/temp-log.js';

const SESSION = 'session-ses_a';
const DELIVERIES = 'delivery-run_ses_a_1';
const META = { schemaVersion: 1, project: 'p', actor: 'k' };

let temp: TempLog;
let keys: MemoryContentKeys;
let random: CountingRandom;
beforeEach(async () => {
  keys = new MemoryContentKeys();
  temp = await TempLog.open(keys);
  random = new CountingRandom('keys');
});
afterEach(() => temp.close());

/** A process that shares log and key store with others. */
function open(): { log: EventLog; wire: ScriptedLog; streams: StreamKeys } {
  const wire = new ScriptedLog(temp.plain);
  const streams = new StreamKeys(wire, keys);
  return { log: new SealedEventLog(wire, streams), wire, streams };
}

const said = (content: string) =>
  newEvent({ id: random.uuid(), type: 'agent_response', time: 1, data: { content } }, META);
const keysOf = async (stream: string) =>
  new Set((await temp.read(stream)).map(({ meta }) => meta.keyId ?? 'none'));

describe('the key of a stream', () => {
  it.each([
    ['was refused', unavailable],
    ['got lost', lost],
  ])('is that of whoever began it, also for one whose own beginning %s', async (_, outcome) => {
    const [one, other] = [open(), open()];
    one.wire.next(outcome);
    await expect(one.log.append(SESSION, [said('a')], { expected: 'no_stream' })).rejects.toThrow();
    await other.log.append(SESSION, [said('b')], { expected: 'no_stream' });
    await one.log.append(SESSION, [said('c')], { expected: 0 });
    await one.log.append(SESSION, [said('d')], { expected: 'stream_exists' });
    await one.log.append(DELIVERIES, [said('e')], { expected: 'no_stream' });
    const [key, ...others] = await keysOf(SESSION);
    expect(others).toEqual([]);
    expect(await keysOf(DELIVERIES)).toEqual(new Set([key]));
    expect((await one.streams.keyOf('ses_a')).id).toBe(key);
  });

  it('is that of whoever was faster', async () => {
    const [one, other] = [open(), open()];
    await Promise.all([one, other].map(({ streams }) => streams.keyOf('ses_a')));
    await other.log.append(SESSION, [said('b')], { expected: 'no_stream' });
    const late = await one.log.append(SESSION, [said('a')], { expected: 'no_stream' });
    expect(late).toEqual({ kind: 'conflict', actual: 0 });
    await one.log.append(SESSION, [said('c')], { expected: 0 });
    expect((await keysOf(SESSION)).size).toBe(1);
  });

  it('is waited for where a read lags behind: nothing is sealed with another', async () => {
    const [one, other] = [open(), open()];
    await one.log.append(SESSION, [said('a')], { expected: 'no_stream' });
    other.wire.lag = { stream: SESSION, upTo: -1, reads: [1, 2] };
    const late = () => other.log.append(DELIVERIES, [said('b')], { expected: 'no_stream' });
    await expect(late()).rejects.toThrow('lags behind');
    await expect(other.log.append(SESSION, [said('c')], { expected: 0 })).rejects.toThrow('lags behind');
    await late();
    expect(await keysOf(DELIVERIES)).toEqual(await keysOf(SESSION));
  });

  it('is that of its stream for all of a batch, whatever key their envelopes named where they were read', async () => {
    const { log } = open();
    await log.append(SESSION, [said('a')], { expected: 'no_stream' });
    const [read] = await temp.read(SESSION);
    const answer = newEvent({ id: random.uuid(), type: 'agent_response', time: 1, data: {} }, read!.meta);
    await log.append(SESSION, [answer, said('b')], { expected: 0 });
    await log.append(DELIVERIES, [said('c'), answer], { expected: 'no_stream' });
    const key = read?.meta.keyId ?? 'none';
    expect(key).not.toBe('none');
    expect(await keysOf(SESSION)).toEqual(new Set([key]));
    expect(await keysOf(DELIVERIES)).toEqual(new Set([key]));
    const given = await keys.draw();
    await log.append('document-doc_a', [answer], { expected: 'no_stream', sealedWith: given });
    expect(await keysOf('document-doc_a')).toEqual(new Set([given]));
  });

  it('is the same for all that is said at once, and for a try of the same events', async () => {
    const { log, wire } = open();
    const first = [said('a')];
    wire.next(lost);
    await expect(log.append(SESSION, first, { expected: 'no_stream' })).rejects.toThrow();
    await log.append(SESSION, first, { expected: 'no_stream' });
    await Promise.all(['b', 'c'].map((text) => log.append(SESSION, [said(text)], { expected: 'any' })));
    expect((await keysOf(SESSION)).size).toBe(1);
    const [lostOne, stored] = wire.appends;
    expect(stored?.events).toEqual(lostOne?.events);
  });
});
