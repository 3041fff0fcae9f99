import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type EventLog, type EventMeta, MemoryContentKeys, newEvent, SqliteEventLog } from '#event-log';
import { SealedEventLog, StreamKeys } from '#vault';
import { SilentLogger, SystemRandom } from '#platform';
import { median } from '../support/median.js';

/**
 * Durable appends per second of the embedded log against what the disk gives: a small write and fdatasync, again and
 * again, on a file of the same disk. With and without sealing: commitments and chains are always made. Rounds alternate,
 * because other work on the machine moves every figure.
 */
const ROUNDS = 7;
const ROUND_MS = 700;
const DATA = { block: 'b_1', text: ' and so it goes on, word by word,' };
const META: EventMeta = {
  schemaVersion: 1,
  project: 'bench',
  actor: 'key_1',
  run: 'run_1',
  correlationId: 'c_1',
};

type Measure = () => Promise<number>;

export async function run(folder = process.cwd()): Promise<void> {
  const scratch = mkdtempSync(join(folder, '.bench-log-'));
  const keys = new MemoryContentKeys();
  const log = await SqliteEventLog.open({ folder: join(scratch, 'log'), keys, logger: new SilentLogger() });
  const sealed = new SealedEventLog(log, new StreamKeys(log, keys));
  const measures: Record<string, Measure> = {
    'write + fdatasync, file grows': () => rawSyncs(join(scratch, 'raw')),
    'append, 1 writer': () => appends(log, 1),
    'append, 16 writers': () => appends(log, 16),
    'append, 256 writers': () => appends(log, 256),
    'sealed append, 1 writer': () => appends(sealed, 1),
    'sealed append, 16 writers': () => appends(sealed, 16),
    'sealed append, 256 writers': () => appends(sealed, 256),
  };
  try {
    const results = new Map(Object.keys(measures).map((name) => [name, [] as number[]]));
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, measure] of Object.entries(measures)) results.get(name)?.push(await measure());
    report(results);
  } finally {
    await log.close();
    rmSync(scratch, { recursive: true });
  }
}

async function rawSyncs(file: string): Promise<number> {
  const handle = openSync(file, 'w');
  const bytes = Buffer.alloc(300, 'x');
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < ROUND_MS; count++) {
    writeSync(handle, bytes);
    fdatasyncSync(handle);
  }
  closeSync(handle);
  return (count / (performance.now() - start)) * 1000;
}

async function appends(log: EventLog, writers: number): Promise<number> {
  const random = new SystemRandom();
  const start = performance.now();
  let count = 0;
  const write = async () => {
    const stream = `session-${random.uuid()}`;
    for (let expected = -1; performance.now() - start < ROUND_MS; expected++, count++) {
      const event = newEvent(
        { id: random.uuid(), type: 'agent_response', time: Date.now(), data: DATA },
        META,
      );
      await log.append(stream, [event], { expected });
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (count / (performance.now() - start)) * 1000;
}

function report(results: Map<string, number[]>): void {
  const raw = median([...results.values()][0] ?? []);
  console.log(`${`medians of ${ROUNDS} rounds`.padEnd(32)}         per s   of raw`);
  for (const [name, values] of results) {
    const rate = median(values);
    console.log(`${name.padEnd(32)}${rate.toFixed(0).padStart(14)}${(rate / raw).toFixed(2).padStart(9)}`);
  }
}

if (process.argv[1]?.endsWith('log.bench.js')) await run(process.argv[2]);
