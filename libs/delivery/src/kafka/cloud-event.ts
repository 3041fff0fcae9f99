import { isIP } from 'node:net';
import { type SessionId, isEndType } from '#domain';
import type { ContentStore } from '#vault';
import type { RecordedEvent } from '#event-log';
import { publicJson } from '../public-json.js';
import { RECEIPT_HEADER, type RunReceipts } from '../run-receipts.js';

/** One record of the topic: CloudEvents 1.0 in the binary mode of its Kafka binding. */
export interface CloudEventRecord {
  /** The session: its events are in one partition, in order. */
  readonly key: string;
  /** The event's `data:` JSON, as every other client gets it; null where the data stand elsewhere (`ce_dataref`). */
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the names of a service's CloudEvents begin with, so that they are nobody else's. */
export interface CloudEventNames {
  /** An absolute URL without a slash at its end. */
  readonly source: string;
  /** Its host's name turned round, with a dot behind it; empty where it has none that is known to others. */
  readonly type: string;
}

/** @param publicUrl an http or https URL without a slash at its end */
export function cloudEventNames(publicUrl: string): CloudEventNames {
  const { hostname } = new URL(publicUrl);
  const isName = hostname.includes('.') && isIP(hostname) === 0;
  return { source: publicUrl, type: isName ? `${hostname.split('.').toReversed().join('.')}.` : '' };
}

/**
 * Makes the record of a public event, from what the log and the settings hold alone: made again it is the same.
 * `json` null: too large for a record, or gone; `ce_dataref` (the extension of that name) then says where it is read.
 */
export function cloudEventOf(
  event: RecordedEvent,
  session: SessionId,
  json: string | null,
  names: CloudEventNames,
): CloudEventRecord {
  const { id, type, time, revision, meta } = event;
  const run = meta.run ?? '';
  return {
    key: session,
    value: json,
    headers: {
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: `${names.source}/sessions/${session}`,
      ce_type: `${names.type}${type}`,
      ce_time: new Date(time).toISOString(),
      ce_subject: run,
      ce_project: meta.project,
      ce_revision: String(revision),
      ...(meta.traceparent === undefined ? {} : { ce_traceparent: meta.traceparent }),
      ...(json === null
        ? { ce_dataref: `${names.source}/runs/${run}/events?after=${revision - 1}` }
        : { 'content-type': 'application/json' }),
    },
  };
}

/** Roughly what a record takes on the wire beside its value. */
const OVERHEAD_BYTES = 512;

/** At most so many bytes; more only where the text is close to it and has few characters beyond ASCII. */
export const sizeOf = ({ value, key, headers }: CloudEventRecord): number =>
  OVERHEAD_BYTES +
  key.length +
  (headers[RECEIPT_HEADER]?.length ?? 0) +
  (value === null ? 0 : Buffer.byteLength(value));

/** Makes records of events whose content may lie in a file. Owns how often it failed to read one. */
export class CloudEvents {
  private failing: { readonly id: string; readonly times: number } | null = null;

  private readonly names: CloudEventNames;

  /** @param publicUrl what `ce_source` and `ce_dataref` begin with */
  constructor(
    private readonly contents: ContentStore,
    publicUrl: string,
    /** Absent: records have none. */
    private readonly receipts?: RunReceipts,
  ) {
    this.names = cloudEventNames(publicUrl);
  }

  /** @throws whatever the file store says, the first ATTEMPTS times; then the record goes without its data */
  async recordOf(event: RecordedEvent, maxBytes: number): Promise<CloudEventRecord> {
    const session = event.stream.slice('session-'.length);
    const receipt = isEndType(event.type) ? await this.receiptOf(event, session) : {};
    const record = cloudEventOf(event, session, await this.jsonOf(event, session), this.names);
    const whole = { ...record, headers: { ...record.headers, ...receipt } };
    if (sizeOf(whole) <= maxBytes) return whole;
    const { headers, ...rest } = cloudEventOf(event, session, null, this.names);
    return { ...rest, headers: { ...headers, ...receipt } };
  }

  private async receiptOf(
    { meta: { run = '' }, revision }: RecordedEvent,
    session: SessionId,
  ): Promise<Readonly<Record<string, string>>> {
    const receipt = await this.receipts?.header({ session, run, revision });
    return receipt === undefined || receipt === null ? {} : { [RECEIPT_HEADER]: receipt };
  }

  private async jsonOf(event: RecordedEvent, session: SessionId): Promise<string | null> {
    try {
      return await publicJson(event, session, this.contents);
    } catch (error) {
      const times = this.failing?.id === event.id ? this.failing.times + 1 : 1;
      this.failing = { id: event.id, times };
      if (times < ATTEMPTS) throw error;
      return null;
    }
  }
}

/** A file that is still not there after so many tries does not hold up the others. */
const ATTEMPTS = 5;
