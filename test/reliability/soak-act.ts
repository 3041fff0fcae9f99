import { setTimeout as sleep } from 'node:timers/promises';
import { sessionOfRun, sessionOfStream, sessionStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { CallbackReceiver } from '../support/callback-receiver.js';
import type { Stage } from '../support/stage.js';
import { checkConnections, checkWishes } from './check-clients.js';
import { checkSessions, checkTurns } from './check-log.js';
import { checkCallbacks, checkTasks, runsSent } from './check-outside.js';
import { checkReads, readEverything } from './check-reads.js';
import { Crowd } from './crowd.js';
import { Dice } from './dice.js';
import { StoredContents, readLog } from './evidence.js';
import type { Verdict } from './verdict.js';
import { Witness } from './witness.js';

const LOOK_MS = 100;
/** Whatever happens: what has not come to its end by then never does. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 8_000;
const DROPS = 10;

/** What is known from the acts before. */
export interface Before {
  /** The log up to here has been looked at. */
  position: number;
  runs: number;
  readonly sessions: Set<string>;
}

/** What came of an act besides the verdict. */
export interface ActReport {
  readonly runs: number;
  readonly drops: number;
  readonly fired: number;
  readonly called: number;
  readonly gapsMs: readonly number[];
}

/**
 * A crowd that comes, and goes home: what it was told is held against what its sessions have on the log, and forgotten. A
 * soak is one act after the other on one service and one log, so that its length is not bounded by the checkers' memory.
 */
export class SoakAct {
  private readonly witness: Witness;
  private readonly crowd: Crowd;
  private readonly clients: readonly Promise<void>[];
  /** The numbers of the runs that want callbacks. */
  private readonly called = new Set<number>();

  constructor(
    private readonly stage: Stage,
    private readonly receiver: CallbackReceiver,
    private readonly before: Before,
    { seed, streams }: { readonly seed: number; readonly streams: number },
  ) {
    this.witness = new Witness(stage.service);
    const more = (n: number, dice: Dice) => {
      const isCalled = dice.chance(10);
      if (isCalled) this.called.add(n);
      return {
        ...(isCalled ? { callback: { url: receiver.url } } : {}),
        ...(dice.chance(10)
          ? { schedules: [{ schedule: 1 + dice.below(10), message: `plain task ${n}` }] }
          : {}),
      };
    };
    const manners = { pauseMs: PAUSE_MS, drops: DROPS, runsBefore: before.runs };
    this.crowd = new Crowd(this.witness, stage.client, new Dice(seed), more, manners);
    this.clients = Array.from({ length: streams }, () => this.crowd.client());
  }

  /** Sends the crowd home, waits until all has come to its end, stops the service, and looks at what was new. */
  async end(verdict: Verdict): Promise<ActReport> {
    const { stage, witness, crowd, before } = this;
    crowd.isClosing = true;
    const late = performance.now() + PATIENCE_MS;
    await Promise.race([Promise.all(this.clients), sleep(PATIENCE_MS, undefined, { ref: false })]);
    witness.giveUp();
    await this.rested(late);
    const reads = await readEverything(stage.client, before.sessions);
    const { code } = await stage.service.kill('SIGTERM');
    verdict.require(code === 0, () => `it ended with ${code}`);
    const log = await this.own();
    const isOwn = (session: string): boolean => !before.sessions.has(session);
    const contents = await StoredContents.open(stage.service.dataDir, isOwn);
    checkSessions(log, verdict);
    checkTurns(log, stage.book.asks, contents, verdict);
    checkConnections(witness.connections, log, contents, verdict);
    checkWishes(witness.wishes, log, contents, verdict);
    checkReads(reads, log, contents, verdict);
    crowd.checkEnds(verdict);
    const fired = checkTasks(log, verdict);
    const called = checkCallbacks(this.receiver.received, log, contents, verdict);
    const report = { runs: witness.wishes.length, drops: crowd.drops, fired, called, gapsMs: witness.gapsMs };
    this.forget(log);
    return report;
  }

  /** For an act that cannot be brought to its end. */
  giveUp(): void {
    this.crowd.isClosing = true;
    this.witness.giveUp();
  }

  /** Resolves when no run, task or delivery is open, or when it is too late. */
  private async rested(late: number): Promise<void> {
    const { client } = this.stage;
    const isOpen = async (): Promise<boolean> => {
      for (const path of ['/tasks?status=scheduled', '/runs?status=queued', '/runs?status=running'])
        if ((await client.all(path)).length > 0) return true;
      return !this.areCalled();
    };
    while ((await isOpen()) && performance.now() < late) await sleep(LOOK_MS);
  }

  private areCalled(): boolean {
    const sent = runsSent(this.receiver.received);
    return this.witness.wishes.every(({ message, answers: [known] }) => {
      const isCalled = this.called.has(Number(message.split(' ').at(-1)));
      return known === undefined || !isCalled || sent.has(known.run);
    });
  }

  /** Everything on the log of the sessions that were begun in this act. */
  private async own(): Promise<RecordedEvent[]> {
    const { before, stage } = this;
    const log = await readLog(stage.service.dataDir, before.position);
    before.position = log.at(-1)?.position ?? before.position;
    const begun = new Set(log.filter(({ revision }) => revision === 0).map(({ stream }) => stream));
    return log.filter(({ stream }) => {
      const run = /^delivery-(.*)$/.exec(stream)?.[1];
      const session = run === undefined ? null : sessionOfRun(run);
      const owner = session === null ? stream : sessionStream(session);
      return /^(session|task)-/.test(owner) && begun.has(owner);
    });
  }

  private forget(log: readonly RecordedEvent[]): void {
    const { before, receiver, stage, crowd } = this;
    for (const { stream } of log) {
      const session = sessionOfStream(stream);
      if (session !== null) before.sessions.add(session);
    }
    before.runs = crowd.runs;
    receiver.received.splice(0);
    stage.book.asks.splice(0);
  }
}
