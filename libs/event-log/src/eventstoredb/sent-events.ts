import { StoredEvent, shownAs, ERASED, type Upcast } from '../codec.js';
import type { NewEvent, Position, Revision } from '../envelope.js';

interface Sent {
  readonly stream: string;
  readonly event: NewEvent;
  /** As subscribers of its stream were told of it at its acknowledgement. */
  told: StoredEvent | null;
}

const COMPACT_AT = 1_024;

/**
 * The events that this process has given to the adapter's thread, which tells them by their numbers when they are heard. The
 * thread says, too, which will never be: so what is kept here is bounded there.
 */
export class SentEvents {
  private sent: (Sent | undefined)[] = [];
  /** Number of the first of `sent`. */
  private from = 0;
  private takenUpTo = 0;

  constructor(private readonly upcast: Upcast | undefined) {}

  /** Returns the number of the first. */
  add(stream: string, events: readonly NewEvent[]): number {
    const first = this.from + this.sent.length;
    for (const event of events) this.sent.push({ stream, event, told: null });
    return first;
  }

  /** They are in their stream from a revision on; `position` is that of the last one. @param first number of the first */
  told(first: number, events: readonly StoredEvent[]): void {
    for (const [i, event] of events.entries()) {
      const sent = this.sent[first + i - this.from];
      if (sent !== undefined) sent.told = event;
    }
  }

  /** One that is heard. `isTold`: subscribers of its stream know it. */
  take(number: number, revision: Revision, position: Position): { event: StoredEvent; isTold: boolean } {
    const sent = this.drop(number);
    if (sent === undefined) throw new RangeError(`event ${number} of this process is heard and was not sent`);
    const { stream, event, told } = sent;
    const isTold = told?.revision === revision;
    if (isTold && told.position === position) return { event: told, isTold };
    return { event: new StoredEvent(event, { stream, revision, position }, this.upcast), isTold };
  }

  /** They will not be heard. */
  forget(numbers: readonly number[]): void {
    for (const number of numbers) this.drop(number);
  }

  /** What the key has sealed is erased. */
  erase(keyId: string): void {
    for (const [i, sent] of this.sent.entries())
      if (sent?.event.meta.keyId === keyId)
        this.sent[i] = {
          stream: sent.stream,
          event: { ...sent.event, ...shownAs(ERASED), data: {} },
          told: null,
        };
  }

  private drop(number: number): Sent | undefined {
    const at = number - this.from;
    const sent = this.sent[at];
    this.sent[at] = undefined;
    while (this.takenUpTo < this.sent.length && this.sent[this.takenUpTo] === undefined) this.takenUpTo += 1;
    if (this.takenUpTo > COMPACT_AT && this.takenUpTo * 2 > this.sent.length) {
      this.sent.splice(0, this.takenUpTo);
      this.from += this.takenUpTo;
      this.takenUpTo = 0;
    }
    return sent;
  }
}
