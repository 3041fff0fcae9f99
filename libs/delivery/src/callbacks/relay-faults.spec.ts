import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SendOutcome } from './callback-sender.js';
import { webhookSignature } from './signature.js';
import {
  RelayWorld,
  SECRET,
  type Sent,
  answered,
  unreachable,
} from '../../../../test/support/relay-fixture.js';
import { TempLog } from '../../../../test/support/temp-log.js';

const SEEDS = 4;
const RUNS = 50;

/** Mulberry32: numbers in [0, 1) that follow from a seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Receivers that refuse, redirect, ask for patience, answer late or never; never 410, so every event gets through. */
function weather(random: () => number): (sent: Sent) => SendOutcome | Promise<SendOutcome> {
  return () => {
    const draw = random();
    if (draw < 0.6) return answered(200 + Math.floor(random() * 100));
    if (draw < 0.7) return unreachable;
    if (draw < 0.8) return answered(500 + Math.floor(random() * 4));
    if (draw < 0.85) return answered(302);
    if (draw < 0.9) return answered(429, { retryAfter: String(Math.floor(random() * 600)) });
    return Promise.resolve(answered(204));
  };
}

describe('receivers that fail and relays that die (F12)', () => {
  let temp: TempLog;
  beforeEach(async () => {
    temp = await TempLog.open();
  });
  afterEach(() => temp.close());

  it.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
    'lose nothing, change no order and send no recorded delivery again (seed %i)',
    async (seed) => {
      const random = chance(seed);
      const world = new RelayWorld(temp, weather(random));
      const sizes = new Map<string, number>();
      for (let i = 0; i < RUNS; i += 1) {
        const size = 2 + Math.floor(random() * 8);
        sizes.set(await world.addRun(`s${seed}x${i}`, size, `host${i % 7}`), size);
      }
      const runs = [...sizes.keys()];
      const recordedBefore = new Map<string, Set<number>>();
      let life = world.relay();
      let livesAt = 0;
      const isDone = async (): Promise<boolean> => {
        if (random() < 0.004) {
          life.kill();
          livesAt = world.sent.length;
          for (const run of runs) recordedBefore.set(run, await world.recorded(run));
          life = world.relay();
        }
        const last = runs.at(-1 - Math.floor(random() * RUNS)) ?? '';
        if (!(await world.recorded(last)).has(sizes.get(last) ?? 0)) return false;
        for (const run of runs) if (!(await world.recorded(run)).has(sizes.get(run) ?? 0)) return false;
        return true;
      };
      await world.until(isDone);
      const sentAgain = world.sent.slice(livesAt).filter((s) => recordedBefore.get(s.run)?.has(s.sequence));
      expect(sentAgain).toEqual([]);
      for (const [run, size] of sizes) checkRun(world.of(run), size);
      expect(world.errors).toEqual([]);
    },
  );
});

function checkRun(sent: readonly Sent[], size: number): void {
  const ids = new Map<number, string>();
  const bodies = new Map<number, string>();
  let highest = 0;
  for (const { sequence, headers, body } of sent) {
    // Later ones begin when the earlier ones came through; a relay that died may repeat what it had not recorded.
    expect(sequence).toBeLessThanOrEqual(highest + 1);
    highest = Math.max(highest, sequence);
    const id = headers['webhook-id'] ?? '';
    expect(ids.get(sequence) ?? id).toBe(id);
    expect(bodies.get(sequence) ?? body).toBe(body);
    ids.set(sequence, id);
    bodies.set(sequence, body);
    const signature = webhookSignature(SECRET, id, Number(headers['webhook-timestamp']), body);
    expect(headers['webhook-signature']).toBe(signature);
  }
  expect(highest).toBe(size);
  expect(ids.size).toBe(size);
}
