import type { StreamName } from '#domain';
import { type AppendResult, AppendOutcomeUnknown, type Expected, Numbered } from '#event-log';
import { checkedNumber, refusalOf } from './answers.js';
import { writeAppend } from './append-request.js';
import type { CallListener, GrpcCall } from './grpc/grpc-call.js';
import { ProtoWriter } from './proto-writer.js';
import { type AppendAnswer, readAppendAnswer } from './server-answers.js';
import type { WireEvent } from './wire-event.js';

/** An append that waits for its answer. */
export interface PendingAppend {
  /** Its name on the server. */
  readonly stream: StreamName;
  readonly events: readonly WireEvent[];
  readonly expected: Expected;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

export interface AppendCallEvents {
  /** The call is over, and nothing of it will be heard; what is in flight waits to be given up. */
  ended(error: Error): void;
  /** Some appends have their outcome. */
  answered(): void;
}

interface InFlight {
  readonly append: PendingAppend;
  readonly sentAt: number;
}

/** Appends that go together are written in pieces of about this size. */
const PIECE_BYTES = 128 * 1024;
/** An append goes by its number on this call: the last 12 hexadecimal digits of a UUID, from 1 on. */
const CORRELATION = '00000000-0000-0000-0000-';
const ID_DIGITS = 12;

/**
 * One BatchAppend call: appends out, answers back. Owns the appends in flight on it.
 * 1. Each append gets exactly one outcome: its answer, or `abandon` for the whole call.
 * 2. An answer to an append that is not in flight here (late, repeated, unknown) is ignored.
 * 3. The end of the call is reported once, whether an error or a clean end.
 */
export class AppendCall implements CallListener {
  private readonly inFlight = new Numbered<InFlight>();
  private call: GrpcCall | null = null;
  private failure: Error | null = null;

  private constructor(private readonly events: AppendCallEvents) {}

  /** @throws what ended it at once */
  static async open(
    openAppends: (listener: CallListener) => Promise<GrpcCall>,
    events: AppendCallEvents,
  ): Promise<AppendCall> {
    const call = new AppendCall(events);
    call.call = await openAppends(call);
    if (call.failure !== null) throw call.failure;
    return call;
  }

  get size(): number {
    return this.inFlight.size;
  }

  /** When the oldest of what is in flight was sent; undefined where nothing is. */
  get oldestSentAt(): number | undefined {
    for (const { sentAt } of this.inFlight.values()) return sentAt;
    return undefined;
  }

  send(appends: readonly PendingAppend[], now: number): void {
    let writer = new ProtoWriter(PIECE_BYTES / 8);
    for (const append of appends) {
      const number = this.inFlight.add({ append, sentAt: now }) + 1;
      writeAppend(writer, CORRELATION + number.toString(16).padStart(ID_DIGITS, '0'), append);
      if (writer.size < PIECE_BYTES) continue;
      this.call?.write(writer.finish());
      writer = new ProtoWriter(PIECE_BYTES / 8);
    }
    if (writer.size > 0) this.call?.write(writer.finish());
  }

  messages(messages: readonly Buffer[]): void {
    // Invariant 3. What cannot be read may be the answer to any of them.
    if (this.failure !== null) return;
    for (const message of messages) this.take(readAppendAnswer(message));
    this.events.answered();
  }

  ended(error: Error | null): void {
    if (this.failure !== null) return;
    this.failure = error ?? new Error('the server ended the call for appends');
    // Before it is open, `open` says so.
    if (this.call !== null) this.events.ended(this.failure);
  }

  /** Gives up what is in flight, whose outcome nobody knows. Nothing of this call is heard any more. */
  abandon(reason: string): void {
    const error = new AppendOutcomeUnknown(reason);
    this.failure ??= error;
    this.call?.cancel();
    for (const { append } of this.inFlight.drain()) append.reject(error);
  }

  private take(answer: AppendAnswer): void {
    const { correlation } = answer;
    const isOurs = correlation.startsWith(CORRELATION);
    const sent = isOurs ? this.inFlight.take(parseInt(correlation.slice(-ID_DIGITS), 16) - 1) : undefined;
    if (sent === undefined) return;
    try {
      settle(sent.append, answer);
    } catch (error) {
      // A revision or a position beyond 2^53: no retry makes it smaller.
      const isTooFar = error instanceof RangeError;
      sent.append.reject(
        isTooFar ? error : new AppendOutcomeUnknown('the answer cannot be understood', { cause: error }),
      );
    }
  }
}

function settle(append: PendingAppend, { success, error }: AppendAnswer): void {
  if (success !== null) {
    const last = checkedNumber(success.last);
    const position = checkedNumber(success.position);
    return append.resolve({ kind: 'appended', first: last - append.events.length + 1, last, position });
  }
  if (error === null) return append.reject(new AppendOutcomeUnknown('the answer says nothing'));
  const refusal = refusalOf(error, append.stream);
  if (refusal.kind === 'conflict') return append.resolve({ kind: 'conflict', actual: refusal.actual });
  append.reject(refusal.error);
}
