import type { Background, Clock, Logger } from '#platform';

/** Port: when keys were last used, shared by replicas. For display only; decides nothing. */
export abstract class KeyUses {
  /** Keeps the later of what is there and what is given. */
  abstract record(uses: ReadonlyMap<string, number>): Promise<void>;
  abstract of(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export interface LastUsesPorts {
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
  /** Absent: it is known of this process alone. */
  readonly uses?: KeyUses | undefined;
}

const HOUR_MS = 3_600_000;
/** Uses of so long are kept together. */
const GATHER_MS = 1_000;
const RETRY_MS = 10_000;

/** When keys were last used, rounded to the hour, so that a key costs one write an hour. Owns a cache of it. */
export class LastUses {
  private readonly hours = new Map<string, number>();
  private unkept = new Map<string, number>();
  private cancelTimer: (() => void) | null = null;
  private isStopped = false;

  constructor(private readonly ports: LastUsesPorts) {}

  used(keyId: string): void {
    const now = this.ports.clock.now();
    const known = this.hours.get(keyId);
    if (known !== undefined && now - known < HOUR_MS && now >= known) return;
    const hour = now - (now % HOUR_MS);
    this.hours.set(keyId, hour);
    this.unkept.set(keyId, hour);
    this.keepAfter(GATHER_MS);
  }

  /** ms since 1970, of those that are known to have been used. Where the others cannot be asked: of this process. */
  async of(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { uses, logger } = this.ports;
    const found = new Map<string, number>();
    try {
      for (const [id, hour] of (await uses?.of(keyIds)) ?? []) found.set(id, hour);
    } catch (error) {
      logger.warn({ err: error }, 'when keys were last used cannot be read');
    }
    for (const id of keyIds) {
      const own = this.hours.get(id);
      if (own !== undefined) found.set(id, Math.max(own, found.get(id) ?? 0));
    }
    return found;
  }

  stop(): void {
    this.isStopped = true;
    this.cancelTimer?.();
  }

  private keepAfter(ms: number): void {
    const { uses, clock, background } = this.ports;
    if (uses === undefined || this.isStopped || this.cancelTimer !== null) return;
    this.cancelTimer = clock.timer(ms, () => {
      this.cancelTimer = null;
      background.start('keep when keys were used', () => this.keep(uses));
    });
  }

  private async keep(uses: KeyUses): Promise<void> {
    const { unkept } = this;
    this.unkept = new Map();
    try {
      await uses.record(unkept);
    } catch (error) {
      for (const [id, hour] of unkept) if (!this.unkept.has(id)) this.unkept.set(id, hour);
      if (!this.isStopped) this.ports.logger.warn({ err: error }, 'when keys were last used cannot be kept');
      this.keepAfter(RETRY_MS);
    }
  }
}
