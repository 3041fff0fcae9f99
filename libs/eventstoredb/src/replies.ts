import { Logger } from '#platform';
import type { AppendResult } from '#event-log';
import type { Failure, Reply, LogLineReply } from './protocol.js';

/** Outcomes of one turn of the event loop travel together. Owns those that were not told yet. */
export class AppendOutcomes {
  private outcomes: number[] = [];
  private failures: (Failure & { append: number })[] = [];
  private isTelling = false;

  constructor(
    private readonly reply: (reply: Reply) => void,
    private readonly forgotten: () => readonly number[],
  ) {}

  /** @param append which one since the start */
  settled(append: number, result: AppendResult): void {
    if (result.kind === 'appended') this.outcomes.push(append, result.first, result.position);
    else this.outcomes.push(append, -1, result.actual);
    this.tellSoon();
  }

  failed(append: number, error: unknown): void {
    this.failures.push({ append, ...failureOf(error) });
    this.tellSoon();
  }

  tell(): void {
    this.isTelling = false;
    const { outcomes, failures } = this;
    if (outcomes.length === 0 && failures.length === 0) return;
    this.outcomes = [];
    this.failures = [];
    this.reply({ kind: 'answered', outcomes, failures, forgotten: this.forgotten() });
  }

  /** Behind the other answers that came in the same piece. */
  private tellSoon(): void {
    if (this.isTelling) return;
    this.isTelling = true;
    queueMicrotask(() => this.tell());
  }
}

/** What the thread has to say is said by the logger of the service. */
export class ReplyLogger extends Logger {
  constructor(private readonly reply: (reply: Reply) => void) {
    super();
  }

  override debug(fields: object, message: string): void {
    this.say('debug', fields, message);
  }

  override info(fields: object, message: string): void {
    this.say('info', fields, message);
  }

  override warn(fields: object, message: string): void {
    this.say('warn', fields, message);
  }

  override error(fields: object, message: string): void {
    this.say('error', fields, message);
  }

  private say(level: LogLineReply['level'], fields: object, message: string): void {
    this.reply({ kind: 'said', level, fields, message });
  }
}

export const failureOf = (error: unknown): Failure =>
  error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
