import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedEvent } from '#event-log';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { Cluster } from '../support/cluster.js';
import type { ServiceProcess } from '../support/service-process.js';
import { checkConnections, checkWishes } from './check-clients.js';
import { checkSessions, checkTurns } from './check-log.js';
import { areSent, areStarted, checkCallbacks, checkTasks } from './check-outside.js';
import { checkReads, readEverything } from './check-reads.js';
import { Crowd } from './crowd.js';
import { Dice } from './dice.js';
import { StoredContents, readLog } from './evidence.js';
import { turnsOf } from './scenarios.js';
import { type RowReport, Verdict, spreadOf } from './verdict.js';
import { Witness } from './witness.js';

export interface ReplicaFaultsOptions {
  readonly seed: number;
  readonly faults: number;
  /** Clients that have a run under way at the same time. */
  readonly streams: number;
  readonly replicas?: number;
}

const REPLICAS = 3;
const TAKEOVER_S = 2;
const TAKEOVER_MS = TAKEOVER_S * 1_000;
const LEAST_MS = 300;
const MOST_MS = 2_000;
const LOOK_MS = 50;
/** Whatever happens: what is not started or sent by then is lost. */
const LOG_PATIENCE_MS = 60_000;

const FAULTS = ['kill', 'kill', 'freeze', 'freeze', 'stop', 'drop'] as const;
type Fault = (typeof FAULTS)[number];

/**
 * F4 and F9 over several replicas: they are killed, frozen for longer than a take-over takes and thawed, stopped in order
 * and started again, and their subscriptions are dropped, while clients call now this one and now that one.
 */
export async function replicaFaults(options: ReplicaFaultsOptions): Promise<RowReport> {
  const { seed, faults, streams, replicas = REPLICAS } = options;
  const receiver = await CallbackReceiver.start();
  const env = { TAKEOVER_S: String(TAKEOVER_S), MAX_RUNS: '2000' };
  const cluster = await Cluster.open({ replicas, env });
  cluster.book.find = turnsOf;
  const witness = new Witness(cluster);
  try {
    const more = (n: number, dice: Dice) => ({
      ...(dice.chance(30) ? { callback: { url: receiver.url } } : {}),
      ...(dice.chance(20)
        ? { schedules: [{ schedule: 1 + dice.below(4), message: `plain task ${n}` }] }
        : {}),
    });
    const crowd = new Crowd(witness, cluster.client(), new Dice(seed), more);
    const clients = Array.from({ length: streams }, () => crowd.client());
    const struck = await new Trouble(cluster, new Dice(seed + 1)).strike(faults);
    crowd.isClosing = true;
    await Promise.all(clients);
    const verdict = await audit(cluster, witness, crowd, receiver);
    crowd.checkEnds(verdict.verdict);
    const starts = cluster.services.flatMap(({ startsMs }) => startsMs.slice(1));
    const line = `F4/F9 ${faults} faults over ${replicas} replicas (${struck}) under ${streams} streams (seed ${seed}), ${witness.wishes.length} runs, ${verdict.outside}: ${verdict.verdict.line}; ready again: ${spreadOf(starts)}; clients resumed: ${spreadOf(witness.gapsMs)}`;
    const measured = {
      readyMs: starts,
      gapsMs: witness.gapsMs,
      more: { [`faults over ${replicas} replicas`]: struck, 'what came of them': verdict.outside },
    };
    return { faults, verdict: verdict.verdict, line, measured };
  } finally {
    witness.giveUp();
    await cluster.close();
    await receiver.close();
  }
}

/** Strikes one replica after the other; some come back while the next is struck already, and one is always well. */
class Trouble {
  private readonly down = new Set<ServiceProcess>();
  private readonly counts = new Map<Fault, number>();

  constructor(
    private readonly cluster: Cluster,
    private readonly dice: Dice,
  ) {}

  /** Returns how often each thing happened. */
  async strike(faults: number): Promise<string> {
    const { cluster, dice } = this;
    const returning: Promise<void>[] = [];
    for (let n = 0; n < faults; n++) {
      await sleep(LEAST_MS + dice.below(MOST_MS - LEAST_MS));
      while (cluster.services.length - this.down.size < 2) await sleep(LOOK_MS);
      const well = cluster.services.filter((service) => !this.down.has(service));
      const fault = dice.pick(FAULTS);
      this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
      returning.push(this.befall(dice.pick(well), fault, dice.below(2 * TAKEOVER_MS)));
    }
    await Promise.all(returning);
    return [...this.counts].map(([fault, count]) => `${count} ${fault}`).join(', ');
  }

  private async befall(service: ServiceProcess, fault: Fault, ms: number): Promise<void> {
    if (fault === 'drop') return this.cluster.server.dropSubscriptions('too-slow');
    this.down.add(service);
    if (fault === 'freeze') await this.freeze(service, TAKEOVER_MS + ms);
    else {
      await service.kill(fault === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await sleep(ms);
      await service.launch();
    }
    this.down.delete(service);
  }

  private async freeze(service: ServiceProcess, ms: number): Promise<void> {
    const { paused } = this.cluster;
    paused.add(service);
    service.signal('SIGSTOP');
    await sleep(ms);
    service.signal('SIGCONT');
    paused.delete(service);
  }
}

async function untilLog(
  cluster: Cluster,
  isAsItShouldBe: (log: readonly RecordedEvent[]) => boolean,
): Promise<void> {
  const late = performance.now() + LOG_PATIENCE_MS;
  while (!isAsItShouldBe(await readLog(cluster.place)) && performance.now() < late) await sleep(LOOK_MS * 10);
}

/** Waits until everything has ended, reads what the replicas tell, stops them, and holds it all against the log. */
async function audit(
  cluster: Cluster,
  witness: Witness,
  crowd: Crowd,
  receiver: CallbackReceiver,
): Promise<{ verdict: Verdict; outside: string }> {
  const client = cluster.client();
  while ((await client.all('/tasks?status=scheduled')).length > 0) await sleep(LOOK_MS);
  await untilLog(cluster, areStarted);
  await crowd.rested();
  await untilLog(cluster, (log) => areSent(receiver.received, log));
  const reads = await readEverything(client);
  await cluster.stopServices();
  const log = await readLog(cluster.place);
  const contents = await StoredContents.open(cluster.place);
  const verdict = new Verdict();
  checkSessions(log, verdict);
  checkTurns(log, cluster.book.asks, contents, verdict);
  checkConnections(witness.connections, log, contents, verdict);
  checkWishes(witness.wishes, log, contents, verdict);
  checkReads(reads, log, contents, verdict);
  const fired = checkTasks(log, verdict);
  const called = checkCallbacks(receiver.received, log, contents, verdict);
  const epochs = log.filter(
    ({ type, data }) => type === 'run_claimed' && (data as { epoch: number }).epoch > 1,
  );
  return { verdict, outside: `${epochs.length} take-overs, ${fired} firings, ${called} runs with callbacks` };
}
