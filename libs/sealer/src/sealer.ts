import { Backoff, type Background, type Logger } from '#platform';
import { Overtaken, SealingStopped } from './sealing-stopped.js';
import { Sealing, type SealingPorts } from './sealing.js';

export interface SealerPorts extends SealingPorts {
  readonly background: Background;
  readonly logger: Logger;
}

export interface SealerOptions {
  /** Other processes ask for seals over the tables. */
  readonly isShared: boolean;
}

/** Between seals, where nobody asks. */
const EVERY_MS = 10_000;
/** Between seals that somebody asks for. */
const LEAST_MS = 1_000;
const POLL_MS = 250;
/** The last of them comes some 15 s after the first: then an operator is told. */
const SUSPICIONS = 6;
const PAUSES = { firstMs: 500, longestMs: 30_000 };

/** Seals the log as long as it works. One replica does at a time; where two do, one of them finds that it was overtaken. */
export class Sealer {
  private readonly sealing: Sealing;
  private readonly stopping = new AbortController();
  private readonly whenEnded = Promise.withResolvers<void>();
  private wake: (() => void) | null = null;
  private isDemanded = false;
  private hasBegun = false;
  private demandsSeen = -1;
  /** How often in a row the log seemed not to be the one that was signed. */
  private suspicions = 0;

  constructor(
    private readonly ports: SealerPorts,
    private readonly options: SealerOptions,
  ) {
    this.sealing = new Sealing(ports);
  }

  start(): void {
    this.ports.background.start('seal the log', () => this.run().finally(() => this.whenEnded.resolve()));
  }

  /** Resolves when what was begun has ended, or `graceMs` later: whatever is broken off is finished at the next start. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort(new Error('the sealer stops'));
    this.wake?.();
    const patience = this.ports.clock.deadline(graceMs);
    const late = Promise.withResolvers<void>();
    patience.signal.addEventListener('abort', () => late.resolve(), { once: true });
    await Promise.race([this.whenEnded.promise, late.promise]);
    patience[Symbol.dispose]();
  }

  /** Somebody in this process waits for a seal. */
  demand(): void {
    this.isDemanded = true;
    this.wake?.();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(this.ports.clock, PAUSES);
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    await Promise.race([this.ports.store.ready.catch(() => undefined), aborted.promise]);
    while (!signal.aborted) {
      const isWell = await this.round();
      if (isWell === 'stopped') return;
      if (isWell === 'failed') await backoff.wait(signal);
      else {
        backoff.reset();
        await this.pause();
      }
    }
  }

  private async round(): Promise<'well' | 'failed' | 'stopped'> {
    const { logger } = this.ports;
    const isDemanded = this.isDemanded;
    this.isDemanded = false;
    try {
      if (!this.hasBegun) await this.sealing.begin();
      this.hasBegun = true;
      this.suspicions = 0;
      if (!(await this.sealing.seal()) && isDemanded) await this.sealing.refresh();
      return 'well';
    } catch (error) {
      this.hasBegun = false;
      this.isDemanded ||= isDemanded;
      if (error instanceof SealingStopped) return this.stopped(error);
      if (!(error instanceof Overtaken))
        logger.warn({ err: error }, 'the log could not be sealed; trying again');
      return 'failed';
    }
  }

  /**
   * Nothing is signed from here on. A server of a shared log may only be behind: it is asked again and again, and the stop is
   * taken back where it turns out to have what was signed.
   */
  private async stopped({ reason, message: detail }: SealingStopped): Promise<'failed' | 'stopped'> {
    const { log, logger, store, keys } = this.ports;
    this.suspicions += 1;
    const isFinal = log.exclusive || reason === 'log_changed' || reason === 'log_forked';
    const isSaid = isFinal || this.suspicions === SUSPICIONS;
    const line = `nothing more is sealed until ANNALS_ORIGIN names another: ${detail}`;
    if (isSaid) logger.error({ reason }, line);
    else logger.warn({ reason }, 'the log seems not to be the one that was signed; looking again');
    // Where this fails the next process finds it out again.
    await store.setStopped({ origin: keys.origin, reason, detail }).catch(() => undefined);
    return isFinal ? 'stopped' : 'failed';
  }

  /** Until the next seal is due, or somebody asks for one. */
  private async pause(): Promise<void> {
    const { clock } = this.ports;
    const { signal } = this.stopping;
    const since = clock.now();
    for (;;) {
      const passed = clock.now() - since;
      const least = this.isDemanded ? LEAST_MS : EVERY_MS;
      if (signal.aborted || passed >= least) return;
      const left = least - passed;
      await this.sleep(this.options.isShared ? Math.min(POLL_MS, left) : left);
      if (this.options.isShared && !this.isDemanded) await this.poll();
    }
  }

  /** Whether another process has asked. */
  private async poll(): Promise<void> {
    try {
      const demands = await this.ports.store.demands();
      if (this.demandsSeen >= 0 && demands > this.demandsSeen) this.isDemanded = true;
      this.demandsSeen = demands;
      if (this.isDemanded && (await this.ports.store.isRebuildWanted())) this.hasBegun = false;
    } catch {
      // The next seal says what is wrong.
    }
  }

  private async sleep(ms: number): Promise<void> {
    const woken = Promise.withResolvers<void>();
    const cancel = this.ports.clock.timer(ms, woken.resolve);
    this.wake = woken.resolve;
    await woken.promise;
    this.wake = null;
    cancel();
  }
}
