import { readFileSync } from 'node:fs';
import { type KafkaConnection, openKafkaPublisher } from '#delivery';
import { ContentStore, MemoryFileStore } from '#vault';
import { type NewEvent, newEvent } from '#event-log';
import { ProcessBackground, SilentLogger, SystemClock, SystemRandom } from '#platform';
import { KafkaBroker, hasKafka } from '../support/kafka-broker.js';
import { KafkaClient } from '../support/kafka-client.js';
import { until } from '../support/until.js';
import { startScriptedModel } from '../support/scripted-model.js';
import { ServiceProcess } from '../support/service-process.js';
import { TempLog } from '../support/temp-log.js';
import { median } from '../support/median.js';
import { compareServices } from './two-services.js';

/**
 * Figures with a real broker. 5,000 events a second that come to the log, and how late a consumer of another system gets
 * them; goal: under a second. And CPU of the service for a run with Kafka on and off, by turns; goal: at most 15 % more: of
 * the shared benchmark, and short ones, eight at a time, whose events are few in a transaction.
 */
const ROUNDS = 7;
const RUNS = 400;
const AT_ONCE = 8;
const WARM_UP = 600;

const PER_S = 5_000;
const SECONDS = 10;
const SESSIONS = 200;
const PER_APPEND = 10;

export async function run(): Promise<void> {
  if (!hasKafka()) return;
  const broker = await KafkaBroker.start();
  try {
    // First, for its consumer reads the topic from the start.
    await lagOfEvents({ brokers: [broker.address], ssl: false, sasl: null });
    await compareServices('kafka', { KAFKA_BROKERS: broker.address }, [
      { scenario: 'S2', what: 'ms of CPU a run', of: (figures) => figures.serverCpuMsPerRun },
      { scenario: 'S3', what: 'ms of CPU a run', of: (figures) => figures.serverCpuMsPerRun },
    ]);
    await cpuOfRuns(broker.address);
  } finally {
    await broker.stop();
  }
}

async function cpuOfRuns(address: string): Promise<void> {
  const model = await startScriptedModel();
  const open = (env: Record<string, string>): Promise<ServiceProcess> =>
    ServiceProcess.start({ env: { OPENAI_BASE_URL: model.url, ...env } });
  const services = { off: await open({}), on: await open({ KAFKA_BROKERS: address }) };
  const costs = { off: [] as number[], on: [] as number[] };
  try {
    for (const service of Object.values(services)) await drive(service, WARM_UP);
    for (let round = 0; round < ROUNDS; round++) {
      for (const kind of ['off', 'on'] as const) {
        const before = cpuMsOf(services[kind].pid);
        await drive(services[kind], RUNS);
        costs[kind].push((cpuMsOf(services[kind].pid) - before) / RUNS);
      }
    }
    const [off, on] = [median(costs.off), median(costs.on)];
    console.log(
      `CPU of a run: ${off.toFixed(2)} ms without Kafka, ${on.toFixed(2)} ms with it ` +
        `(${(((on - off) / off) * 100).toFixed(1)} % more; median of ${ROUNDS} rounds of ${RUNS} runs)`,
    );
    await idle(services);
  } finally {
    for (const service of Object.values(services)) await service.dispose();
    await model.close();
  }
}

/** What the connections cost while nothing happens. */
async function idle(services: Readonly<Record<string, ServiceProcess>>): Promise<void> {
  const IDLE_MS = 5_000;
  const before = Object.entries(services).map(([kind, { pid }]) => ({ kind, pid, ms: cpuMsOf(pid) }));
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const parts = before.map(
    ({ kind, pid, ms }) => `${kind} ${(((cpuMsOf(pid) - ms) / IDLE_MS) * 100).toFixed(1)} %`,
  );
  console.log(`CPU while idle: ${parts.join(', ')} of a core`);
}

async function drive(service: ServiceProcess, runs: number): Promise<void> {
  const client = service.client();
  let left = runs;
  const one = async (): Promise<void> => {
    while (left-- > 0)
      await (await client.run({ message: 'What is 6 x 7?', streaming_tokens: true })).closed();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Of the process alone, user and system, from /proc: ticks of 10 ms. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function lagOfEvents(connection: KafkaConnection): Promise<void> {
  const temp = await TempLog.open();
  const [clock, random, logger] = [new SystemClock(), new SystemRandom(), new SilentLogger()];
  const background = new ProcessBackground(logger);
  const contents = new ContentStore(new MemoryFileStore());
  const publicUrl = 'http://localhost:3000';
  const ports = { log: temp.log, contents, clock, random, background, logger, publicUrl };
  const publisher = await openKafkaPublisher(connection, ports);
  publisher.start();
  await until(async () => (await publisher.status()).state === 'publishing');
  const client = new KafkaClient(connection.brokers[0] ?? '');
  const lags: number[] = [];
  await client.follow('annals.events', ({ headers }) => {
    if (headers['ce_project'] === 'bench') lags.push(Date.now() - Date.parse(headers['ce_time'] ?? ''));
  });
  const since = performance.now();
  const wanted = PER_S * SECONDS;
  for (let sent = 0; sent < wanted;) {
    const due = Math.min(wanted, Math.floor(((performance.now() - since) / 1_000) * PER_S));
    const appends: Promise<unknown>[] = [];
    for (; sent + PER_APPEND <= due; sent += PER_APPEND) {
      const session = `s${Math.floor(sent / PER_APPEND) % SESSIONS}`;
      const events = Array.from({ length: PER_APPEND }, () => eventOf(session, clock, random));
      appends.push(temp.log.append(`session-${session}`, events, { expected: 'any' }));
    }
    await Promise.all(appends);
    await clock.sleep(2);
  }
  const tookMs = performance.now() - since;
  await until(() => lags.length >= wanted);
  const sorted = lags.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  const { transactions, published } = await publisher.status();
  console.log(
    `${((wanted / tookMs) * 1_000).toFixed(0)} events/s for ${(tookMs / 1_000).toFixed(1)} s: a consumer has them after ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms; ${(published / transactions).toFixed(0)} in a transaction`,
  );
  await client.close();
  await publisher.stop(1_000);
  await temp.close();
}

function eventOf(session: string, clock: SystemClock, random: SystemRandom): NewEvent {
  const data = { content: ' and so it goes on, word by word,' };
  const meta = { schemaVersion: 1, project: 'bench', actor: 'key_1', run: `run_${session}_1` };
  return newEvent({ id: random.uuid(), type: 'agent_response', time: clock.now(), data }, meta);
}

if (process.argv[1]?.endsWith('kafka.bench.js')) {
  await run();
  process.exit(0);
}
