import { TransientMap } from '#platform';
import type { NewEvent } from '../envelope.js';
import type { ServerRecord } from './server-answers.js';
import type { WireEvent } from './wire-event.js';

interface Sent {
  /** Its name on the server. */
  readonly stream: string;
  readonly event: NewEvent;
  readonly wire: WireEvent;
}

/** What is kept at most, in events and in characters; the oldest goes first, and is opened when it is heard. */
const KEPT = 5_000;
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/**
 * The events that this process has sent and not yet heard of. What is heard with exactly the bytes that were sent need not
 * be parsed and opened again, which costs as much as to seal it. Owns their memory.
 */
export class OwnEvents {
  private readonly sent = new TransientMap<Sent>();
  private characters = 0;

  constructor(private readonly prefix: string) {}

  add(name: string, events: readonly NewEvent[], wires: readonly WireEvent[]): void {
    const stream = this.prefix + name;
    for (const [i, event] of events.entries()) {
      if (event.raw !== undefined) continue;
      const wire = wires[i]!;
      this.drop(event.id);
      this.sent.add(event.id, { stream, event, wire });
      this.characters += wire.data.length;
    }
    for (const oldest of this.sent.keys()) {
      if (this.sent.size <= KEPT && this.characters <= KEPT_CHARACTERS) return;
      this.drop(oldest);
    }
  }

  /** null: it is not ours, or not as it was sent. It is asked for once. */
  take({ id, stream, type, metadata, data }: ServerRecord): NewEvent | null {
    const sent = this.drop(id);
    if (sent === undefined) return null;
    const { wire } = sent;
    const isSame =
      sent.stream === stream && wire.type === type && wire.data === data && wire.metadata === metadata;
    return isSame ? sent.event : null;
  }

  /** Those that the key has sealed: it is destroyed. */
  forget(keyId: string): void {
    for (const { event } of this.sent.values()) if (event.meta.keyId === keyId) this.drop(event.id);
  }

  private drop(id: string): Sent | undefined {
    const sent = this.sent.take(id);
    this.characters -= sent?.wire.data.length ?? 0;
    return sent;
  }
}
