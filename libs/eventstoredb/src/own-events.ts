import type { StreamName } from '#domain';
import type { NewEvent } from '#event-log';
import type { ServerRecord } from './server-answers.js';
import type { WireData, WireEvent } from './wire-event.js';

interface Sent {
  /** Which of the events since the start. */
  readonly number: number;
  /** Its name on the server. */
  readonly stream: StreamName;
  readonly event: NewEvent;
  readonly wire: WireEvent;
}

/** What is kept at most, in events and in characters; the oldest goes first, and is read when it is heard. */
const KEPT = 5_000;
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/**
 * The events that this process has sent and not yet heard of. What is heard with exactly the bytes that were sent need not
 * be parsed and opened again, which costs as much as to seal it, nor handed over: its number is enough. Owns their memory,
 * and says which numbers will never be heard.
 */
export class OwnEvents {
  private readonly sent = new Map<string, Sent>();
  private characters = 0;
  private gone: number[] = [];

  /** @param first number of the first one */
  add(stream: StreamName, events: readonly NewEvent[], wires: readonly WireEvent[], first: number): void {
    for (const [i, event] of events.entries()) {
      this.forget(event.id);
      const wire = wires[i]!;
      this.sent.set(event.id, { number: first + i, stream, event, wire });
      this.characters += wire.data.length;
      // What is stored as it is was not opened for whoever sent it.
      if (event.raw !== undefined) this.forget(event.id);
    }
    for (const oldest of this.sent.keys()) {
      if (this.sent.size <= KEPT && this.characters <= KEPT_CHARACTERS) return;
      this.forget(oldest);
    }
  }

  /** The bytes that were made for the very same event before. */
  dataOf({ id, json, meta }: NewEvent): WireData | undefined {
    const sent = this.sent.get(id);
    return sent?.event.json === json && sent.event.meta.keyId === meta.keyId ? sent.wire : undefined;
  }

  /** Its number; null: it is not ours, or not as it was sent. It is asked for once. */
  take({ id, stream, type, metadata, data }: ServerRecord): number | null {
    const sent = this.drop(id);
    if (sent === undefined) return null;
    const { wire, number } = sent;
    if (sent.stream === stream && wire.type === type && wire.data === data && wire.metadata === metadata)
      return number;
    this.gone.push(number);
    return null;
  }

  /** They were not stored, or not even sent. */
  refused(events: readonly NewEvent[], first: number): void {
    for (const [i, { id }] of events.entries()) {
      if (this.sent.get(id)?.number === first + i) this.drop(id);
      this.gone.push(first + i);
    }
  }

  /** Those that the keys have sealed. */
  forgetSealedWith(keyIds: readonly string[]): void {
    const ids = new Set(keyIds);
    for (const { event } of this.sent.values())
      if (event.meta.keyId !== undefined && ids.has(event.meta.keyId)) this.forget(event.id);
  }

  /** The numbers of those that will not be heard, since the last time. */
  takeForgotten(): readonly number[] {
    const { gone } = this;
    if (gone.length > 0) this.gone = [];
    return gone;
  }

  private forget(id: string): void {
    const sent = this.drop(id);
    if (sent !== undefined) this.gone.push(sent.number);
  }

  private drop(id: string): Sent | undefined {
    const sent = this.sent.get(id);
    this.sent.delete(id);
    this.characters -= sent?.wire.data.length ?? 0;
    return sent;
  }
}
