import type { AppendResult } from '../event-log.js';
import { AppendOutcomeUnknown } from '../event-log.js';
import { refusalOf, safeNumber } from './answers.js';
import type { AppendCall as Call } from './server-channel.js';
import type { BatchAppendReq, BatchAppendResp } from './stubs.js';

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

  send(correlation: string, request: BatchAppendReq, append: SentAppend, now: number): void {
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

  private take(answer: BatchAppendResp): void {
    const correlation = correlationOf(answer);
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

function settle(append: SentAppend, answer: BatchAppendResp): void {
  const success = answer.getSuccess();
  if (success !== undefined) {
    const last = safeNumber(success.getCurrentRevision());
    const position = safeNumber(success.getPosition()?.getCommitPosition() ?? '0');
    return append.resolve({ kind: 'appended', first: last - append.count + 1, last, position });
  }
  const status = answer.getError();
  if (status === undefined) return append.reject(new AppendOutcomeUnknown('the answer says nothing'));
  const refusal = refusalOf(status, append.stream);
  if (refusal.kind === 'conflict') return append.resolve({ kind: 'conflict', actual: refusal.actual });
  append.reject(refusal.error);
}

/** As it was sent; the server writes some answers in its own spelling, two numbers of 64 bits. */
function correlationOf(answer: BatchAppendResp): string {
  const id = answer.getCorrelationId();
  if (id === undefined) return '';
  const numbers = id.getStructured();
  if (numbers === undefined) return id.getString();
  const hex = [numbers.getMostSignificantBits(), numbers.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return correlation(hex);
}

/** 32 hexadecimal digits as a UUID. */
export const correlation = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
