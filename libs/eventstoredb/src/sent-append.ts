import type { StreamName } from '#domain';
import {
  type Field,
  type NewEvent,
  type Expected,
  ANY,
  APPEND_FIELDS,
  type AppendRequest,
  EVENT_FIELDS,
  NO_STREAM,
  STREAM_EXISTS,
  type ThreadKeys,
} from '#event-log';

/** An append as the adapter's thread is given it. */
export interface SentAppend {
  readonly stream: StreamName;
  readonly expected: Expected;
  /** Their data are in their JSON only. */
  readonly events: readonly NewEvent[];
}

const NOT_PARSED = {};

/** The appends of a request, in order. */
export function* sentAppends({ fields }: AppendRequest, keys: ThreadKeys): Iterable<SentAppend> {
  for (let at = 0; at < fields.length;) {
    const [stream, expected, count] = [
      fields[at] as string,
      fields[at + 1] as number,
      fields[at + 2] as number,
    ];
    const end = at + APPEND_FIELDS + count * EVENT_FIELDS;
    const events: NewEvent[] = [];
    let meta = '';
    for (at += APPEND_FIELDS; at < end; at += EVENT_FIELDS) {
      meta = (fields[at + 4] as string) || meta;
      events.push(eventIn(fields, at, meta, keys));
    }
    yield { stream, expected: expectedOf(expected), events };
  }
}

function eventIn(fields: readonly Field[], at: number, meta: string, keys: ThreadKeys): NewEvent {
  const data = fields[at + 3] as string | Uint8Array;
  const proof = fields[at + 5] as string;
  const event = {
    id: fields[at] as string,
    type: fields[at + 1] as string,
    time: fields[at + 2] as number,
    data: NOT_PARSED,
    json: typeof data === 'string' ? data : '',
    meta: keys.metaOf(meta),
  };
  if (proof === '') return event;
  const [commitment = '', prev = ''] = proof.split(' ');
  return { ...event, raw: { data, commitment, prev } };
}

function expectedOf(code: number): Expected {
  switch (code) {
    case NO_STREAM:
      return 'no_stream';
    case STREAM_EXISTS:
      return 'stream_exists';
    case ANY:
      return 'any';
    default:
      return code;
  }
}
