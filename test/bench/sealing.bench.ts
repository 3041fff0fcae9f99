import { ContentKey, type EventMeta, StreamChain, newEvent, openData, sealData } from '#event-log';
import { SystemRandom } from '#platform';
import { median } from '../support/median.js';

/** What sealing, commitment and chain cost an event of 200 bytes, in microseconds of one thread; and opening it again. */
const ROUNDS = 9;
const EVENTS = 20_000;
const BAR_US = 15;
const META: EventMeta = {
  schemaVersion: 1,
  project: 'bench',
  actor: 'key_1',
  run: 'run_1',
  correlationId: 'c_1',
};
const STREAM = 'session-ses_0123456789abcdef01234567';

export async function run(): Promise<void> {
  const random = new SystemRandom();
  const key = new ContentKey('k', Buffer.from(random.hex(32), 'hex'));
  const content = 'x'.repeat(200 - '{"content":""}'.length);
  const events = Array.from({ length: EVENTS }, (_, n) =>
    newEvent({ id: random.uuid(), type: 'agent_response', time: n, data: { content } }, META),
  );
  const sealing: number[] = [];
  const opening: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const chain = new StreamChain(STREAM);
    let start = performance.now();
    const sealed = events.map((event, revision) => {
      const { data, commitment } = sealData(key, STREAM, event);
      const { prev } = chain;
      chain.push({ ...event, stream: STREAM, revision }, { commitment, prev });
      return data;
    });
    sealing.push(((performance.now() - start) * 1_000) / EVENTS);
    start = performance.now();
    for (const [i, data] of sealed.entries()) openData(data, key, STREAM, events[i]!.id);
    opening.push(((performance.now() - start) * 1_000) / EVENTS);
  }
  console.log(`seal, commit, chain: ${median(sealing).toFixed(1)} µs an event of 200 bytes (bar ${BAR_US})`);
  console.log(`open:                ${median(opening).toFixed(1)} µs`);
}

if (process.argv[1]?.endsWith('sealing.bench.js')) await run();
