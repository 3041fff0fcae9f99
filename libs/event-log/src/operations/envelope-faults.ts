import type { RecordedEvent } from '../envelope.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TYPE = /^[a-z][a-z0-9_]*$/;

/** Fault of an event's metadata or of the form of its data; undefined: none. */
export function faultOfEnvelope(event: RecordedEvent): string | undefined {
  const { id, type, time, meta } = event;
  if (!UUID.test(id)) return 'its id is not a UUID';
  if (!TYPE.test(type)) return `its type "${type.slice(0, 50)}" is not a name in snake_case`;
  if (!Number.isSafeInteger(time)) return 'its time is not a number of milliseconds';
  if (!Number.isSafeInteger(meta.schemaVersion) || meta.schemaVersion < 1)
    return `its schema version is ${meta.schemaVersion}`;
  if (!isText(meta.project) && !isOfTheHouse(event)) return 'it names no project';
  // It is empty where the clock decided: what has expired.
  if (typeof meta.actor !== 'string') return 'it names no actor';
  for (const name of ['run', 'correlationId', 'causationId', 'traceparent', 'keyId'] as const)
    if (meta[name] !== undefined && !isText(meta[name])) return `its ${name} is not a text`;
  return isObject(event.json) ? undefined : 'its data are not a JSON object';
}

/**
 * Prefixes of streams that belong to no project: checkpoints (`relay-callbacks`) and leases
 * (`lease-process`).
 */
const SYSTEM_STREAMS = ['relay-', 'lease-'];

const isOfTheHouse = ({ stream, meta }: RecordedEvent): boolean =>
  meta.project === '' && SYSTEM_STREAMS.some((prefix) => stream.startsWith(prefix));

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isObject(json: string): boolean {
  try {
    const data: unknown = JSON.parse(json);
    return typeof data === 'object' && data !== null && !Array.isArray(data);
  } catch {
    return false;
  }
}
