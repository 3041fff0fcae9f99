import type { StreamName } from '#domain';
import {
  type NewEvent,
  type AppendOptions,
  type AppendResult,
  type EventLog,
  type Expected,
  PassingLog,
} from '#event-log';
import { type StreamPart, type StreamKeys, keyed } from './keys/stream-keys.js';

/** What says in the open that something is erased, after its key is gone. */
export const CLEAR_TYPES: ReadonlySet<string> = new Set([
  'session_erased',
  'datastore_deleted',
  'document_deleted',
]);

/**
 * A log whose events name the keys that they are sealed with: nobody who appends has to know of keys. Sealing and opening
 * is the codec's, in the log below.
 */
export class SealedEventLog extends PassingLog {
  constructor(
    log: EventLog,
    private readonly streams: StreamKeys,
  ) {
    super(log);
  }

  override append(
    stream: StreamName,
    events: readonly NewEvent[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    const { expected, sealedWith } = options;
    if (sealedWith !== undefined) return this.appendAsGiven(sealedWith, stream, events, expected);
    const place = placeOf(expected);
    const known = this.streams.peek(stream, place);
    if (known !== undefined && this.streams.keys.peek(known) !== undefined)
      return this.appendWith(known, stream, events, expected);
    return this.streams
      .of(stream, events, place)
      .then((keyId) => this.appendWith(keyId, stream, events, expected));
  }

  /** Who appends has chosen the key: of a document each upload has one, and a datastore may get another. */
  private async appendAsGiven(
    keyId: string,
    stream: StreamName,
    events: readonly NewEvent[],
    expected: Expected,
  ): Promise<AppendResult> {
    if (this.streams.keys.peek(keyId) === undefined) await this.streams.keys.load([keyId]);
    return this.log.append(stream, sealedBy(keyId, events), { expected });
  }

  private appendWith(
    keyId: string | null,
    stream: StreamName,
    events: readonly NewEvent[],
    expected: Expected,
  ): Promise<AppendResult> {
    const sealed = keyId === null ? events : sealedBy(keyId, events);
    const appending = this.log.append(stream, sealed, { expected });
    const mayBegin = keyId !== null && placeOf(expected) !== 'later';
    return mayBegin ? appending.then((result) => this.begun(stream, result)) : appending;
  }

  private async begun(stream: StreamName, result: AppendResult): Promise<AppendResult> {
    if (result.kind === 'appended') this.streams.begun(stream);
    else await this.streams.begunByAnother(stream);
    return result;
  }
}

/** Whatever key an event named before: one that was read names that of its own stream. */
const sealedBy = (keyId: string, events: readonly NewEvent[]): readonly NewEvent[] =>
  events.map((event) => (CLEAR_TYPES.has(event.type) ? event : keyed(event, keyId)));

function placeOf(expected: Expected): StreamPart {
  if (expected === 'no_stream' || expected === -1) return 'first';
  return expected === 'any' ? 'anywhere' : 'later';
}
