import type { AppendResult } from '../event-log.js';
import { AppendOutcomeUnknown } from '../event-log.js';
import { checkedNumber, refusalOf } from './answers.js';
import type { AppendAnswer } from './server-answers.js';
import type { AppendCall as Call } from './server-channel.js';

/** An append that waits for its answer. */
export interface SentAppend {
  readonly stream: string;
  readonly count: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

interface InFlight {
  readonly append: SentAppend;
  readonly sentAt: number;
}

/**
 * One call that carries appends to the server and the answers back. Owns what is in flight on it.
 * 1. Each append gets exactly one outcome: its answer, or `end` for the whole call.
 * 2. An answer to an append that is not in flight here (late, repeated, of nobody) is dropped.
 * 3. The end of the call is told once, whether it was an error or a bare end.
 */
export class AppendCall {
  private readonly inFlight = new Map<string, InFlight>();
  private isOver = false;

  constructor(
    private readonly call: Call,
    private readonly ended: (error: unknown) => void,
    private readonly answered: () => void,
  ) {
    call.on('data', (answer) => this.take(answer));
    call.on('error', (error) => this.end(error));
    call.on('end', () => this.end(new Error('the server ended the call for appends')));
  }

  get size(): number {
    return this.inFlight.size;
  }

  /** When the oldest of what is in flight was sent; undefined where nothing is. */
  get oldestSentAt(): number | undefined {
    for (const { sentAt } of this.inFlight.values()) return sentAt;
    return undefined;
  }

  send(correlation: string, request: Buffer, append: SentAppend, now: number): void {
    this.inFlight.set(correlation, { append, sentAt: now });
    this.call.write(request);
  }

  /** Gives up what is in flight, whose outcome nobody knows. Nothing of this call is heard any more. */
  abandon(reason: string): void {
    this.isOver = true;
    // Both: a call that the server has ended is not over until our half of it is.
    this.call.cancel();
    this.call.end();
    this.rejectAll(reason);
  }

  private take(answer: AppendAnswer): void {
    const { correlation } = answer;
    const sent = this.inFlight.get(correlation);
    if (sent === undefined) return;
    this.inFlight.delete(correlation);
    try {
      settle(sent.append, answer);
    } catch (error) {
      // A revision or a position beyond 2^53: no retry makes it smaller.
      const isTooFar = error instanceof RangeError;
      sent.append.reject(
        isTooFar ? error : new AppendOutcomeUnknown('the answer cannot be understood', { cause: error }),
      );
    }
    this.answered();
  }

  private end(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.ended(error);
  }

  rejectAll(reason: string): void {
    const error = new AppendOutcomeUnknown(reason);
    for (const { append } of this.inFlight.values()) append.reject(error);
    this.inFlight.clear();
  }
}

function settle(append: SentAppend, { success, error }: AppendAnswer): void {
  if (success !== null) {
    const last = checkedNumber(success.last);
    const position = checkedNumber(success.position);
    return append.resolve({ kind: 'appended', first: last - append.count + 1, last, position });
  }
  if (error === null) return append.reject(new AppendOutcomeUnknown('the answer says nothing'));
  const refusal = refusalOf(error, append.stream);
  if (refusal.kind === 'conflict') return append.resolve({ kind: 'conflict', actual: refusal.actual });
  append.reject(refusal.error);
}
