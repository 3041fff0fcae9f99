import { isLeftToServer, sessionStream, type Revision, type SessionId } from '#domain';
import { type ContentStore, isUnreadable } from '#vault';
import { type EventLog } from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import { loadRequest, loadSession, type Recovery, replicaOf, type UnfinishedRuns } from '#runs';
import type { Leases } from './heartbeats.js';
import type { Membership, ReplicaState } from './membership.js';

export interface FailoverPorts {
  readonly membership: Membership;
  readonly leases: Pick<Leases, 'releaseAll'>;
  readonly recovery: Recovery;
  readonly unfinished: UnfinishedRuns;
  readonly log: EventLog;
  readonly contents: ContentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

/** How often runs are looked through although no replica fell silent: those that wait. */
const SWEEP_MS = 30_000;
/** For so long after one did all that are unfinished are looked through: a claim may not have gone through. */
const WARY_MS = 300_000;
/** After news it is swept again, for the lists follow the log, and who wrote them may be the one that is no more. */
const LISTS_LATE_MS = 1_000;
/** Sessions that are read at the same time. */
const AT_ONCE = 16;

/**
 * Fail-over: continues the runs of dead replicas. Owns which of them it has handled.
 * 1. It only names runs: who claims one is decided by the log.
 * 2. A replica whose own heartbeat is not renewed takes nothing over.
 * 3. A run with tool servers is only claimed once its replica is gone, not just silent, since the claim ends the run.
 *    Its other work may be claimed at once.
 * 4. Runs queued behind a run in progress are left to the replica that drives that one.
 */
export class Failover {
  private readonly seenTo = new Map<string, ReplicaState>();
  private sweptAt = -Infinity;
  /** When it is swept again, in order. */
  private sweepsDue: readonly number[] = [];
  private waryUntil = -Infinity;
  private hasSweptUnheard = false;
  private readonly stopping = new AbortController();

  constructor(private readonly ports: FailoverPorts) {}

  start(): void {
    this.ports.background.start('take over', async () => {
      const { clock, logger, membership } = this.ports;
      const { signal } = this.stopping;
      while (!signal.aborted) {
        try {
          await this.look();
        } catch (error) {
          if (!signal.aborted) logger.warn({ err: error }, 'silent replicas could not be looked for');
        }
        await clock.sleep(membership.times.lookMs, signal).catch(() => undefined);
      }
    });
  }

  stop(): void {
    this.stopping.abort(new Error('the replica claims nothing more'));
  }

  private async look(): Promise<void> {
    const { membership, clock } = this.ports;
    // Invariant 2.
    if (!membership.isHeld) return;
    await membership.look();
    const absent = membership.absent();
    for (const replica of this.seenTo.keys()) if (!absent.has(replica)) this.seenTo.delete(replica);
    const news = [...absent].filter(([replica, state]) => this.seenTo.get(replica) !== state);
    const isForUnheard = membership.knowsTheUnheard && !this.hasSweptUnheard;
    const now = clock.now();
    const isDue = now - this.sweptAt >= SWEEP_MS || now >= (this.sweepsDue[0] ?? Infinity);
    if (news.length === 0 && !isForUnheard && !isDue) return;
    this.sweepsDue = this.sweepsDue.filter((at) => at > now);
    if (news.length > 0) this.sweepsDue = [now + LISTS_LATE_MS, now + membership.times.leaseMs];
    for (const [replica, state] of news) await this.hear(replica, state);
    if (news.length > 0 || isForUnheard || this.sweptAt === -Infinity) this.waryUntil = now + WARY_MS;
    await this.sweep(now >= this.waryUntil);
    for (const [replica, state] of news) this.seenTo.set(replica, state);
    this.hasSweptUnheard ||= isForUnheard;
    this.sweptAt = now;
  }

  private async hear(replica: string, state: ReplicaState): Promise<void> {
    this.ports.logger.info({ replica, state }, 'a replica is silent: its runs are taken over');
    if (state === 'gone') await this.ports.leases.releaseAll(replica);
  }

  private async sweep(isWaitingOnly: boolean): Promise<void> {
    const { unfinished, random } = this.ports;
    const sessions = await unfinished.sessions(isWaitingOnly);
    // Replicas that look at the same time begin in different places: they meet in few of them.
    const from = Math.floor(random.jitter() * sessions.length);
    const inTurn = [...sessions.slice(from), ...sessions.slice(0, from)].values();
    const work = async (): Promise<void> => {
      for (const session of inTurn) await this.examine(session);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  private async examine(session: SessionId): Promise<void> {
    if (this.stopping.signal.aborted) return;
    try {
      const left = await this.leftIn(session);
      if (left !== null) await this.ports.recovery.resume(session, (run, by) => left.get(run) === by);
    } catch (error) {
      this.ports.logger.warn({ err: error, session }, 'a session could not be looked at, and is later');
    }
  }

  /** The runs of the session that replicas have left, with who left them; null: nothing is to be done there. */
  private async leftIn(session: SessionId): Promise<ReadonlyMap<string, string> | null> {
    const { membership, log } = this.ports;
    const { current, waiting } = (await loadSession(log, sessionStream(session))).state;
    const left = new Map<string, string>();
    // It waits for somebody, and so do those behind it.
    if (current?.park === 'parked' && !isLeftToServer(current)) return null;
    if (current?.park === 'woken') left.set(current.run, current.worker);
    else if (current !== null) {
      const driver = replicaOf(current.worker);
      if (await this.isLeft(session, driver, current.requested)) left.set(current.run, current.worker);
      // Invariant 4.
      else if (driver !== membership.replica) return null;
    }
    for (const { run, replica, requested } of waiting)
      if (await this.isLeft(session, replica, requested)) left.set(run, replica);
    // One that this replica accepted and whose turn has come: whoever asked for it may have gone in between.
    const isOwnTurn = current === null && waiting[0]?.replica === membership.replica;
    return left.size > 0 || isOwnTurn ? left : null;
  }

  private async isLeft(session: SessionId, replica: string, requested: Revision): Promise<boolean> {
    const state = this.ports.membership.stateOf(replica);
    if (state !== 'silent') return state === 'gone';
    // Invariant 3.
    try {
      const request = await loadRequest(this.ports.log, sessionStream(session), requested);
      const config = await this.ports.contents.object(session, request.data.config);
      return (config.mcp_servers ?? []).length === 0;
    } catch (error) {
      // Whoever takes it over can only end it.
      if (isUnreadable(error)) return true;
      throw error;
    }
  }
}
