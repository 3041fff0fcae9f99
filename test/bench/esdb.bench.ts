import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type EventLog, type EventMeta, type NewEvent, newEvent, SqliteEventLog } from '#event-log';
import { EsdbEventLog } from '#eventstoredb';
import { SilentLogger, SystemRandom } from '#platform';
import { rebuildFrom } from './rebuild.bench.js';
import { compareServices } from './two-services.js';

/**
 * The service on the protocol server, in a process of its own, beside the embedded one: S2 and S3 of the shared benchmark.
 * Then the two logs alone: runs as they append, tokens that come one by one, and a rebuild. The server is on the same
 * machine and takes its share of the processors, which is shown: of what a run costs it is the part that a real server
 * would take, more or less of it.
 */
const ROUND_MS = 3_000;
const ROUNDS = 3;
/** What a run of 50 tokens appends, in events, when its model is as fast as it can be. */
const APPENDS_OF_A_RUN = [4, 2, 3, 4, 6];
const STREAMS = 200;
const TOKEN_MS = 20;
const META: EventMeta = { schemaVersion: 1, project: 'bench', actor: 'key_1', run: 'run_1' };
const DATA = { block: 'b_1', text: ' and so it goes on, word by word,' };
const random = new SystemRandom();
const logger = new SilentLogger();

interface Bench {
  readonly name: string;
  readonly log: EventLog;
  /** Milliseconds of CPU that the log's server has taken. */
  readonly serverCpuMs: () => number;
}

export async function run(): Promise<void> {
  await services();
  await logs();
}

async function services(): Promise<void> {
  const { server, url } = await startServer();
  const settings = { EVENTSTORE_URL: url, ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
  try {
    await compareServices('eventstoredb', settings, [
      { scenario: 'S2', what: 'runs/s', of: ({ runsPerS }) => runsPerS },
      { scenario: 'S3', what: 'ms to a token at p99', of: ({ token }) => token.p99 },
    ]);
  } finally {
    server.stdin.end();
  }
}

async function startServer() {
  const server = spawn(process.execPath, ['dist/test/support/esdb-server/main.js'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url = ''] = await new Promise<string[]>((resolve) =>
    createInterface({ input: server.stdout }).once('line', (line) => resolve([line])),
  );
  return { server, url };
}

async function logs(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-bench-'));
  const { server, url } = await startServer();
  const benches: Bench[] = [
    {
      name: 'embedded',
      log: await SqliteEventLog.open({ folder: join(folder, 'log'), logger }),
      serverCpuMs: () => 0,
    },
    {
      name: 'eventstoredb',
      log: await EsdbEventLog.open({ connectionString: url, logger }),
      serverCpuMs: () => cpuMsOf(server.pid!),
    },
  ];
  try {
    for (const writers of [1, 32, 200])
      await compare(benches, `runs/s, ${writers} at a time`, (bench) => runsPerSecond(bench, writers));
    await compare(benches, `ms to a token's subscriber at p99, ${STREAMS} streams`, tokenP99);
    for (const { name, log } of benches) {
      process.stdout.write(`${name}: `);
      await rebuildFrom(log, join(folder, name));
    }
  } finally {
    for (const { log } of benches) await log.close();
    server.stdin.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** By turns, so that both meet the same weather; the ratio of the medians is what counts. */
async function compare(
  benches: readonly Bench[],
  what: string,
  measure: (bench: Bench) => Promise<number>,
): Promise<void> {
  const figures = benches.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, bench] of benches.entries()) figures[i]!.push(await measure(bench));
  const medians = figures.map((values) => values.sort((a, b) => a - b)[ROUNDS >> 1]!);
  const ratio = (medians[1]! / medians[0]!).toFixed(2);
  const [embedded, esdb] = medians.map((value) => value.toFixed(value < 100 ? 2 : 0));
  console.log(`${what}: embedded ${embedded}, eventstoredb ${esdb}, ratio ${ratio}`);
}

async function runsPerSecond({ name, log, serverCpuMs }: Bench, writers: number): Promise<number> {
  const cpu = process.cpuUsage();
  const serverCpu = serverCpuMs();
  const start = performance.now();
  let runs = 0;
  const write = async (): Promise<void> => {
    for (; performance.now() - start < ROUND_MS; runs++) {
      const stream = `session-${random.uuid()}`;
      let expected = -1;
      for (const count of APPENDS_OF_A_RUN) {
        await log.append(stream, Array.from({ length: count }, bitOfText), { expected });
        expected += count;
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const { user, system } = process.cpuUsage(cpu);
  const perRun = (ms: number): string => `${((ms / runs) * 1_000).toFixed(0)} µs`;
  const here = perRun((user + system) / 1_000);
  const there = perRun(serverCpuMs() - serverCpu);
  console.log(`  ${name}: CPU a run ${here} here, ${there} at the server${dropsOf(log)}`);
  return (runs / (performance.now() - start)) * 1_000;
}

/** Each stream is given a token every 20 ms; what comes while an append is under way waits for the next. */
async function tokenP99({ log }: Bench): Promise<number> {
  const waits: number[] = [];
  const stop = new AbortController();
  const end = performance.now() + ROUND_MS;
  const write = async (n: number): Promise<void> => {
    const stream = `session-${random.uuid()}`;
    const cameAt: number[] = [];
    const listening = (async () => {
      for await (const events of log.subscribeStream(stream, { signal: stop.signal }))
        for (const { revision } of events) waits.push(performance.now() - cameAt[revision]!);
    })();
    let due = performance.now() + (n / STREAMS) * TOKEN_MS;
    for (let expected = -1; due < end;) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      const events: NewEvent[] = [];
      for (; due <= performance.now(); due += TOKEN_MS) {
        cameAt.push(due);
        events.push(bitOfText());
      }
      if (events.length === 0) continue;
      await log.append(stream, events, { expected });
      expected += events.length;
    }
    void listening;
  };
  await Promise.all(Array.from({ length: STREAMS }, (_, n) => write(n)));
  stop.abort();
  return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)]!;
}

const bitOfText = (): NewEvent =>
  newEvent({ id: random.uuid(), type: 'agent_response', time: Date.now(), data: DATA }, META);

const dropsOf = (log: EventLog): string =>
  'subscriptionDrops' in log ? `, ${String(log.subscriptionDrops)} drops of the subscription so far` : '';

/** User and system time of a process, in the kernel's ticks of 10 ms (proc(5)); 0 where there is no /proc. */
function cpuMsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

if (process.argv[1]?.endsWith('esdb.bench.js')) await run();
