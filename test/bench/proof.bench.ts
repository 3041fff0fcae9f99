import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SessionExport } from '#delivery';
import { type SessionId, sessionStream } from '#domain';
import { type EventMeta, MemoryContentKeys, SqliteEventLog, newEvent } from '#event-log';
import { ProcessBackground, SecretBox, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { FileVerifier, utf8 } from '#proof';
import { openReadModels } from '#read-models';
import { LogKeys, PostgresProofStore, ProofReader, Sealing, policyText } from '#sealer';
import { ContentStore, MemoryFileStore, SqliteKeyStore } from '#vault';
import { NOBODY } from '../support/proof/sealed-house.js';
import { compareServices } from './two-services.js';

/**
 * What proofs cost: a log of so many events sealed at once, one of its sessions exported and verified; and what sealing takes
 * from runs. `BENCH_EVENTS=1000000 npm run bench -- proof` for more.
 */
const EVENTS = Number(process.env['BENCH_EVENTS'] ?? 100_000);
const STREAMS = EVENTS / 50;
/** A tenth of all is one session; all of it with BENCH_LONG_EVERY=1. */
const LONG_EVERY = Number(process.env['BENCH_LONG_EVERY'] ?? 10);
const LONG = 'ses_long' as SessionId;
const META: EventMeta = { schemaVersion: 1, project: 'p', actor: 'k' };
const BATCH = 100;

const logger = new SilentLogger();
const clock = new SystemClock();
const random = new SystemRandom();
const background = new ProcessBackground(logger);

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-bench-'));
  const log = await SqliteEventLog.open({ folder: join(folder, 'log'), logger });
  const files = new MemoryFileStore();
  const options = { clock, random, background, logger, log, files, metadataSecret: new Uint8Array(32) };
  await fill(log);
  const models = openReadModels({ ...options, folder: join(folder, 'postgres'), isProjector: false });
  await models.ready;
  const signed = SqliteKeyStore.open(join(folder, 'keys'));
  const stop = new AbortController();
  try {
    const box = new SecretBox(Buffer.alloc(32, 5));
    const keys = new LogKeys('bench.example/log', { log, clock, random, box, signed, background, logger });
    await keys.start(stop.signal);
    const store = new PostgresProofStore(models.database);
    const sealing = new Sealing({ log, keys, signed, store, witnesses: NOBODY, clock, random });
    await sealing.begin();
    await measured(`sealing ${EVENTS} events of ${STREAMS} streams`, EVENTS, () => sealing.seal());
    await log.append(sessionStream('ses_1'), batch(BATCH), { expected: 'any' });
    await measured(`sealing ${BATCH} more`, BATCH, () => sealing.seal());
    await store.wantRebuild();
    const again = new Sealing({ log, keys, signed, store, witnesses: NOBODY, clock, random });
    await measured('making the tables again', EVENTS, () => again.begin());
    const origin = keys.origin;
    const proofs = new ProofReader({
      origin,
      store,
      clock,
      witnesses: NOBODY,
      demand: async () => undefined,
    });
    const vkeys = keys.active.map(({ vkey }) => vkey);
    const exports = new SessionExport({
      log,
      clock,
      proofs,
      keys: new MemoryContentKeys(),
      contents: new ContentStore(files),
      origin: () => ({ origin, keys: vkeys }),
    });
    await exportAndVerify(exports, utf8(policyText(keys, null)));
  } finally {
    stop.abort();
    await models.close();
    await log.close();
    await signed.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
  await compareServices(
    'sealed',
    {},
    [
      { what: 'runs a second', scenario: 'S2', of: ({ runsPerS }) => runsPerS },
      { what: 'CPU ms a run', scenario: 'S2', of: ({ serverCpuMsPerRun }) => serverCpuMsPerRun },
    ],
    { baselineImports: [resolve('dist/test/bench/hooks/without-sealer.js')] },
  );
}

async function exportAndVerify(exports: SessionExport, policy: Uint8Array): Promise<void> {
  const found = (await exports.find(LONG))!;
  const disclosure = { asked: 'all', highest: -1, opens: () => true };
  const lines: Uint8Array[] = [];
  const count = found.last + 1;
  await measured(`an export of ${count} events`, count, async () => {
    for await (const line of exports.lines(LONG, found, disclosure)) lines.push(utf8(line));
  });
  const megabytes = lines.reduce((sum, line) => sum + line.length, 0) / 1024 / 1024;
  const verifier = new FileVerifier({ policy });
  await measured(`verifying its ${megabytes.toFixed(0)} MB`, count, async () => {
    for (const line of lines) verifier.push(line);
  });
  const { verdict, level } = verifier.end();
  console.log(`the verdict: ${verdict}, ${level ?? 'no level'}`);
}

async function measured(what: string, events: number, work: () => Promise<unknown>): Promise<void> {
  globalThis.gc?.();
  const [since, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const [ms, used] = [performance.now() - since, process.cpuUsage(cpu)];
  const cpuUs = (used.user + used.system) / events;
  const memory = (process.memoryUsage().rss / 1024 / 1024).toFixed(0);
  console.log(
    `${what}: ${(ms / 1000).toFixed(2)} s, ${cpuUs.toFixed(1)} µs CPU an event of this process; ${memory} MB resident`,
  );
}

const batch = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    newEvent(
      { id: random.uuid(), type: 'agent_response', time: clock.now(), data: { content: `word ${n}` } },
      META,
    ),
  );

async function fill(log: SqliteEventLog): Promise<void> {
  for (let n = 0; n < EVENTS; n += BATCH) {
    const session = (n / BATCH) % LONG_EVERY === 0 ? LONG : (`ses_${(n / BATCH) % STREAMS}` as SessionId);
    await log.append(sessionStream(session), batch(BATCH), { expected: 'any' });
  }
}
