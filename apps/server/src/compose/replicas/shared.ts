import type { ContentStore } from '#vault';
import type { EventLog } from '#event-log';
import {
  type Background,
  type Clock,
  type Logger,
  type Random,
  closeInOrder,
  closeTogether,
} from '#platform';
import type { ReadModels } from '#read-models';
import { type Core } from '#runs';
import {
  LeasedPart,
  Membership,
  type Part,
  PostgresHeartbeats,
  PostgresLeases,
  type ProcessWatch,
  ReplicaDatabase,
  Failover,
  replicaTimes,
} from '#replicas';
import { Replicas } from './replicas.js';

export interface SharedOptions {
  readonly databaseUrl: string;
  readonly takeoverMs: number;
  /** Part of the name, so that an operator finds the process. */
  readonly host: string;
  readonly watch: ProcessWatch;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

/** While nobody projects, lists are late: the next one begins sooner than other parts. */
const SHORT_LEASE_MS = 1_000;
/** A statement that takes longer than this part of a lease is given up and sent again. */
const TRIES_PER_LEASE = 3;
const LEAST_TIMEOUT_MS = 250;

/** One of several processes on a log: they know of each other by heartbeats in the PostgreSQL that they share. */
export class Shared extends Replicas {
  override readonly replica: string;
  override readonly isShared = true;
  private readonly membership: Membership;
  private readonly database: ReplicaDatabase;
  private readonly leases: PostgresLeases;
  private readonly parts: LeasedPart[] = [];
  private failover: Failover | null = null;
  private core: Core | null = null;

  /** @param release stops keeping away those that would work on the log alone */
  constructor(
    private readonly options: SharedOptions,
    private readonly release: () => Promise<void>,
  ) {
    super();
    const { databaseUrl, takeoverMs, host, random } = options;
    const times = replicaTimes(takeoverMs);
    const timeoutMs = Math.max(LEAST_TIMEOUT_MS, times.leaseMs / TRIES_PER_LEASE);
    this.database = new ReplicaDatabase({ url: databaseUrl, timeoutMs }, options);
    this.leases = new PostgresLeases(this.database);
    // Never that of another process: a successor of the same name would vouch for the dead.
    this.replica = `${host}-${random.hex(4)}`;
    const heartbeats = new PostgresHeartbeats(this.database, options.watch);
    this.membership = new Membership(this.replica, times, { ...options, heartbeats }, () =>
      this.core?.admission.reconsider(),
    );
    this.membership.start();
  }

  override mayClaim(): boolean {
    return this.membership.isHeld;
  }

  override isAlive(replica: string): boolean {
    return this.membership.stateOf(replica) === 'alive';
  }

  override problem(): string | null {
    return this.membership.problem;
  }

  override add(name: string, open: (fence: number) => Part): void {
    const { leaseMs: longestMs } = this.membership.times;
    const leaseMs = name === 'projector' ? Math.min(SHORT_LEASE_MS, longestMs) : longestMs;
    const part = new LeasedPart(
      { name, holder: this.replica, leaseMs, open },
      { ...this.options, leases: this.leases },
    );
    this.parts.push(part);
    part.start();
  }

  override giveUp(name: string): void {
    const { background } = this.options;
    for (const part of this.parts) if (part.name === name) background.start('give up', () => part.giveUp());
  }

  override begin(core: Core, readModels: ReadModels): void {
    this.core = core;
    const { membership, options } = this;
    const contents: ContentStore = core.contents;
    const unfinished = {
      sessions: (isWaitingOnly?: boolean) => readModels.unfinishedSessions(isWaitingOnly),
    };
    const { leases } = this;
    const { recovery } = core;
    this.failover = new Failover({ ...options, membership, leases, contents, unfinished, recovery });
    this.failover.start();
    core.admission.reconsider();
  }

  override async retire(graceMs: number): Promise<void> {
    this.failover?.stop();
    await closeTogether(...this.parts.map((part) => () => part.stop(graceMs)));
  }

  override async end(): Promise<void> {
    await closeInOrder(
      () => this.membership.leave(),
      () => this.release(),
      () => this.database.close().catch(() => undefined),
    );
  }
}
