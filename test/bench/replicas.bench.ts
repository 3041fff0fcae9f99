import { Cluster } from '../support/cluster.js';
import { Gate, before, say } from '../support/scripted-model.js';
import type { ServiceProcess } from '../support/service-process.js';
import { median } from '../support/median.js';
import { until } from '../support/until.js';

/**
 * How long a replica takes until it is ready, when its servers are; goal: 3 s. And how long after one was killed another
 * asks the model for its runs; goal: 10 s, which is what TAKEOVER_S is by default.
 */
const ROUNDS = 5;
const RUNS = 20;

export async function run(): Promise<void> {
  const cluster = await Cluster.open({ replicas: 2, env: { TAKEOVER_S: '10' } });
  try {
    const [victim, other] = cluster.services as [ServiceProcess, ServiceProcess];
    const takeovers: { first: number; last: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      takeovers.push(await takeover(cluster, victim, round));
      await victim.launch();
    }
    const starts = [...victim.startsMs.slice(1), ...(await freshStarts(cluster))];
    console.log(
      `a replica is ready after ${median(starts).toFixed(0)} ms, at most ${Math.max(...starts).toFixed(0)} (${starts.length} starts)`,
    );
    const [first, last] = [takeovers.map((t) => t.first), takeovers.map((t) => t.last)];
    console.log(
      `${RUNS} runs of one that was killed go on elsewhere after ${median(first).toFixed(0)} ms, the last of them after ` +
        `${median(last).toFixed(0)} ms, at most ${Math.max(...last)} (${ROUNDS} times)`,
    );
    if (!other.isRunning) throw new Error('the other replica has ended');
  } finally {
    await cluster.close();
  }
}

/** Milliseconds from the end of the process to when the first and the last of its runs go on. */
async function takeover(
  { book }: Cluster,
  victim: ServiceProcess,
  round: number,
): Promise<{ first: number; last: number }> {
  const gate = new Gate();
  const messages = Array.from({ length: RUNS }, (_, n) =>
    book.on(`round ${round}, run ${n}`, (attempt) =>
      attempt === 0 ? say('half ', before(gate), 'done') : say('done'),
    ),
  );
  const client = victim.client();
  for (const message of messages) await client.run({ message, background: true });
  await until(() => messages.every((message) => book.asksOf(message, 0) > 0));
  await victim.kill('SIGKILL');
  const killed = Date.now();
  await until(() => messages.every((message) => book.asksOf(message, 0) > 1));
  gate.open();
  const after = messages.map(
    (message) => (book.asks.findLast((ask) => ask.message === message)?.at ?? NaN) - killed,
  );
  return { first: Math.min(...after), last: Math.max(...after) };
}

/** Of replicas that were never there before. */
async function freshStarts(cluster: Cluster): Promise<number[]> {
  const starts: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const service = await cluster.prepare();
    await service.launch();
    starts.push(...service.startsMs);
    await service.kill('SIGTERM');
  }
  return starts;
}

if (process.argv[1]?.endsWith('replicas.bench.js')) {
  await run();
  process.exit(0);
}
