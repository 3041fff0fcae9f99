import type { StreamName } from '#domain';
import {
  type NewEvent,
  type AppendOptions,
  type AppendResult,
  type EventLog,
  type Expected,
  PassingLog,
} from '#event-log';
import { type StreamPart, type StreamKeys, keyed, unkeyed } from './keys/stream-keys.js';

/** Events that stay readable when their key is gone: they record an erasure, or what was spent. */
export const CLEAR_TYPES: ReadonlySet<string> = new Set([
  'session_erased',
  'model_called',
  'usage_kept',
  'datastore_deleted',
  'document_deleted',
]);

/**
 * Decorator of a log that assigns encryption keys to appended events, so that writers need not know of keys.
 * Encryption itself is done by the codec of the log below.
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

  /** The caller has chosen the key: each upload of a document has its own, and a datastore may get another. */
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

/** Replaces the key named before: an event that was read names its own stream's. */
const sealedBy = (keyId: string, events: readonly NewEvent[]): readonly NewEvent[] =>
  events.map((event) => (CLEAR_TYPES.has(event.type) ? unkeyed(event) : keyed(event, keyId)));

function placeOf(expected: Expected): StreamPart {
  if (expected === 'no_stream' || expected === -1) return 'first';
  return expected === 'any' ? 'anywhere' : 'later';
}
