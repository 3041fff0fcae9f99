import { fromHex } from '../bytes.js';
import { type Checkpoint, parseCheckpoint } from '../checkpoint.js';
import { LOG_KEY, type Note, type NoteKey, parseKey, parseNote } from '../notes.js';
import { type TlogProof, formatProof, parseProof } from '../tlog-proof.js';
import { readObject } from './flat-json.js';

/** The lines of an export (docs/proof.md). Each is read, written again and compared: one that differs by a byte is none. */

export interface ExportHeader {
  readonly stream: string;
  readonly session: string;
  readonly events: number;
  readonly sealed: number;
  readonly erased: boolean;
  readonly disclosed: string;
  readonly origin: string;
  readonly keys: readonly NoteKey[];
}

export interface ExportProof {
  readonly directory: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly inclusion: TlogProof;
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

export interface ExportEvent {
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** ms since 1970 */
  readonly time: number;
  readonly schemaVersion: number;
  readonly project: string;
  readonly actor: string;
  readonly run?: string;
  readonly causationId?: string;
  readonly correlationId?: string;
  /** Hex; '': another program wrote the event. */
  readonly commitment: string;
  /** Hex or ''. */
  readonly prev: string;
  /** Both or none. */
  readonly salt?: string;
  readonly text?: string;
}

export type ExportLine =
  | { readonly kind: 'event'; readonly event: ExportEvent }
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'end'; readonly count: number };

const MAX_KEYS = 64;
const MAX_PATH = 256;
/** The end of 9999. */
const MAX_TIME = 253_402_300_799_999;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';
/** Only such a text has one form in UTF-8, which is what is hashed. */
const isWhole = (value: unknown): value is string => isText(value) && value.isWellFormed();
const isHex = (value: unknown): value is string => isText(value) && fromHex(value) !== null;
/** What is not there is left out. */
const isGiven = (value: unknown): boolean => value === undefined || (isText(value) && value !== '');
const isTexts = (value: unknown, max: number): value is readonly string[] =>
  Array.isArray(value) && value.length <= max && value.every(isText);

const ORIGIN = /^[A-Za-z0-9._/-]{1,200}$/;
const DISCLOSED = /^(?:all|none|\d{1,16}(?:-\d{1,16})?(?:,\d{1,16}(?:-\d{1,16})?)*)$/;
const MAX_DISCLOSED = 65_536;

/** null: it is none. */
export function readHeader(line: string): ExportHeader | null {
  const read = readObject(line);
  if (read === null) return null;
  const { stream, session, exported_at, events, sealed, erased, disclosed, origin, keys } = read;
  if (!isWhole(stream) || !isText(session) || stream !== `session-${session}` || !isMoment(exported_at))
    return null;
  if (!isCount(events) || !isCount(sealed) || typeof erased !== 'boolean') return null;
  if (!isText(disclosed) || disclosed.length > MAX_DISCLOSED || !DISCLOSED.test(disclosed)) return null;
  if (!isText(origin) || !ORIGIN.test(origin) || !isTexts(keys, MAX_KEYS)) return null;
  const parsed = keys.map(parseKey).filter((key) => key?.kind === LOG_KEY) as NoteKey[];
  const again = { stream, session, exported_at, events, sealed, erased, disclosed, origin, keys };
  if (parsed.length < keys.length || line !== JSON.stringify({ annals: 'export/1', ...again })) return null;
  return { stream, session, events, sealed, erased, disclosed, origin, keys: parsed };
}

function isMoment(value: unknown): boolean {
  if (!isText(value) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

/** null: it is none. */
export function readProof(line: string): ExportProof | null {
  const { directory, path, proof } = readObject(line) ?? {};
  if (!isHex(directory) || !isTexts(path, MAX_PATH) || !path.every(isHex) || !isText(proof)) return null;
  const inclusion = parseProof(proof);
  const note = inclusion === null ? null : parseNote(inclusion.note);
  const checkpoint = note === null ? null : parseCheckpoint(note.text);
  if (inclusion === null || note === null || checkpoint === null || formatProof(inclusion) !== proof)
    return null;
  if (line !== JSON.stringify({ directory, path, proof })) return null;
  const siblings = path.map((sibling) => fromHex(sibling)!);
  return { directory: fromHex(directory)!, path: siblings, inclusion, note, checkpoint };
}

/** null: it is none of them. */
export function readLine(line: string): ExportLine | null {
  const read = readObject(line);
  if (read === null) return null;
  if (line.startsWith('{"revision":')) return eventOf(read, line);
  const { file: name, text, end: count } = read;
  if (isText(name) && isWhole(text) && line === JSON.stringify({ file: name, text }))
    return { kind: 'file', name, text };
  return isCount(count) && line === JSON.stringify({ end: count }) ? { kind: 'end', count } : null;
}

function eventOf(read: Readonly<Record<string, unknown>>, line: string): ExportLine | null {
  const { revision, id, type, time, schemaVersion, project, actor, run, causationId, correlationId } = read;
  const { commitment, prev, salt, text } = read;
  if (!isCount(revision) || !isCount(time) || time > MAX_TIME || !isCount(schemaVersion)) return null;
  if (![id, type, project, actor].every(isText)) return null;
  if (![run, causationId, correlationId].every(isGiven)) return null;
  if (![commitment, prev].every((value) => value === '' || isHex(value))) return null;
  const isDisclosed = isHex(salt) && isWhole(text);
  if (!isDisclosed && (salt !== undefined || text !== undefined)) return null;
  const named = { revision, id, type, time, schemaVersion, project, actor, run, causationId, correlationId };
  // What is undefined is not written.
  const event = { ...named, commitment, prev, salt, text };
  return line === JSON.stringify(event) ? { kind: 'event', event: event as ExportEvent } : null;
}
