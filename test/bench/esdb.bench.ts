import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EsdbEventLog, type EventLog, type EventMeta, newEvent, SqliteEventLog } from '#event-log';
import { SilentLogger, SystemRandom } from '#platform';

/**
 * The log on the protocol server, in a process of its own, beside the embedded one: appends, the way of an own event to a
 * subscriber of its stream, and reading the whole log. On one machine, so the server takes its share of the processors.
 */
const ROUND_MS = 2_000;
const META: EventMeta = { schemaVersion: 1, project: 'bench', actor: 'key_1', run: 'run_1' };
const DATA = { block: 'b_1', text: ' and so it goes on, word by word,' };
const random = new SystemRandom();

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-bench-'));
  const server = spawn(process.execPath, ['dist/test/support/esdb-server/main.js'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = await new Promise<string[]>((resolve) =>
    createInterface({ input: server.stdout }).once('line', (line) => resolve([line])),
  );
  const logger = new SilentLogger();
  const logs: Record<string, EventLog> = {
    embedded: await SqliteEventLog.open({ folder: join(folder, 'log'), logger }),
    eventstoredb: await EsdbEventLog.open({ connectionString: url!, logger }),
  };
  try {
    for (const [name, log] of Object.entries(logs)) await measure(name, log);
  } finally {
    for (const log of Object.values(logs)) await log.close();
    server.stdin.end();
    rmSync(folder, { recursive: true });
  }
}

async function measure(name: string, log: EventLog): Promise<void> {
  for (const writers of [1, 16, 200]) {
    const { count, waits, cpuMs } = await appends(log, writers);
    const [p50, p99] = [0.5, 0.99].map((p) => waits[Math.floor(waits.length * p)]?.toFixed(2));
    console.log(
      `${name}, ${writers} writers: ${((count / ROUND_MS) * 1_000).toFixed(0)} appends/s, ` +
        `to a subscriber p50 ${p50} ms, p99 ${p99} ms, ${((cpuMs / count) * 1_000).toFixed(0)} µs CPU here`,
    );
  }
  const since = performance.now();
  let events = 0;
  for await (const batch of log.readAll()) events += batch.events.length;
  const rate = (events / (performance.now() - since)) * 1_000;
  const drops = log instanceof EsdbEventLog ? `, ${log.subscriptionDrops} drops of the subscription` : '';
  console.log(`${name}: reads ${events} events, ${rate.toFixed(0)} a second${drops}`);
}

/** Each writer appends one event after the other, and listens to its stream. */
async function appends(log: EventLog, writers: number) {
  const waits: number[] = [];
  const stop = new AbortController();
  const cpu = process.cpuUsage();
  const end = performance.now() + ROUND_MS;
  let count = 0;
  const write = async (): Promise<void> => {
    const stream = `session-${random.uuid()}`;
    const sentAt: number[] = [];
    const listening = (async () => {
      for await (const events of log.subscribeStream(stream, { signal: stop.signal }))
        for (const { revision } of events) waits.push(performance.now() - sentAt[revision]!);
    })();
    for (let expected = -1; performance.now() < end; expected++, count++) {
      const event = newEvent(
        { id: random.uuid(), type: 'agent_response', time: Date.now(), data: DATA },
        META,
      );
      sentAt.push(performance.now());
      await log.append(stream, [event], { expected });
    }
    void listening;
  };
  await Promise.all(Array.from({ length: writers }, write));
  stop.abort();
  const { user, system } = process.cpuUsage(cpu);
  return { count, waits: waits.sort((a, b) => a - b), cpuMs: (user + system) / 1_000 };
}

if (process.argv[1]?.endsWith('esdb.bench.js')) await run();
