import { Background, Clock, Logger, Random } from '#platform';
import type { Owner, Scheduler } from './scheduler.js';

/** Virtual time, as one worker's clock shows it. */
export class SimClock extends Clock {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly owner: Owner,
    /** How much this machine's clock is wrong, in ms. */
    private readonly skewMs = 0,
  ) {
    super();
  }

  override now(): number {
    return this.scheduler.now + this.skewMs;
  }

  override timer(ms: number, fire: () => void): () => void {
    return this.scheduler.after(this.owner, ms, 'timer', fire);
  }

  override soon(fire: () => void): void {
    this.scheduler.after(this.owner, 0, 'soon', fire);
  }
}

/** Ids that tell who drew them: unique among all lives of all workers, and the same each time a tape is played. */
export class SimRandom extends Random {
  private drawn = 0;
  private state: number;

  constructor(private readonly life: number) {
    super();
    this.state = Math.imul(life + 1, 0x9e3779b9);
  }

  override uuid(): string {
    const x = this.hex(16);
    return `${x.slice(0, 8)}-${x.slice(8, 12)}-4${x.slice(13, 16)}-8${x.slice(17, 20)}-${x.slice(20)}`;
  }

  override hex(bytes: number): string {
    const text = `${hexOf(this.life, 2)}${hexOf(++this.drawn, 2)}`;
    return text.padEnd(bytes * 2, '0').slice(0, bytes * 2);
  }

  override jitter(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) | 0;
    return (this.state >>> 8) / 2 ** 24;
  }
}

const hexOf = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, '0');

/** Work that dies with its worker. An error that nobody expects is reported. */
export class SimBackground extends Background {
  constructor(
    private readonly owner: Owner,
    private readonly failed: (name: string, error: unknown) => void,
  ) {
    super();
  }

  override start(name: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (this.owner.isAlive) this.failed(name, error);
    });
  }
}

/** What a worker logs goes into the trace. */
export class SimLogger extends Logger {
  constructor(
    private readonly say: (level: 'info' | 'warn' | 'error', text: string, fields: object) => void,
  ) {
    super();
  }

  override debug(): void {}

  override info(fields: object, message: string): void {
    this.say('info', message, fields);
  }

  override warn(fields: object, message: string): void {
    this.say('warn', message, fields);
  }

  override error(fields: object, message: string): void {
    this.say('error', message, fields);
  }
}
