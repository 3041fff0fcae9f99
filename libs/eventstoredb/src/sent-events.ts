import type { StreamName } from '#domain';
import {
  StoredEvent,
  shownAs,
  ERASED,
  type Upcast,
  type NewEvent,
  type Position,
  type Revision,
  Numbered,
} from '#event-log';

interface Sent {
  readonly stream: StreamName;
  event: NewEvent;
  /** As subscribers of its stream were told of it at its acknowledgement. */
  told: StoredEvent | null;
}

/**
 * The events that this process has given to the adapter's thread, which tells them by their numbers when they are heard. The
 * thread says, too, which will never be: so what is kept here is bounded there.
 */
export class SentEvents {
  private readonly sent = new Numbered<Sent>();

  constructor(private readonly upcast: Upcast | undefined) {}

  /** Returns the number of the first. */
  add(stream: StreamName, events: readonly NewEvent[]): number {
    const first = this.sent.next;
    for (const event of events) this.sent.add({ stream, event, told: null });
    return first;
  }

  /** They are in their stream from a revision on; `position` is that of the last one. @param first number of the first */
  told(first: number, events: readonly StoredEvent[]): void {
    for (const [i, event] of events.entries()) {
      const sent = this.sent.get(first + i);
      if (sent !== undefined) sent.told = event;
    }
  }

  /** One that is heard. `isTold`: subscribers of its stream know it. */
  take(number: number, revision: Revision, position: Position): { event: StoredEvent; isTold: boolean } {
    const sent = this.sent.take(number);
    if (sent === undefined) throw new RangeError(`event ${number} of this process is heard and was not sent`);
    const { stream, event, told } = sent;
    const isTold = told?.revision === revision;
    if (isTold && told.position === position) return { event: told, isTold };
    return { event: new StoredEvent(event, { stream, revision, position }, this.upcast), isTold };
  }

  /** They will not be heard. */
  forget(numbers: readonly number[]): void {
    for (const number of numbers) this.sent.take(number);
  }

  /** What the key has sealed is erased. */
  erase(keyId: string): void {
    for (const sent of this.sent.values())
      if (sent.event.meta.keyId === keyId) {
        sent.event = { ...sent.event, ...shownAs(ERASED), data: {} };
        sent.told = null;
      }
  }
}
