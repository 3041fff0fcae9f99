import { type Note, formatNote, formatProof, sha256, toHex, utf8 } from '#proof';
import type { MadeEvent } from './made-stream.js';
import type { Seal } from './proved-log.js';

export interface ExportTerms {
  readonly stream: string;
  readonly events: readonly MadeEvent[];
  readonly origin: string;
  readonly keys: readonly string[];
  /** Absent: nothing is proved. */
  readonly proof?: { readonly seal: Seal; readonly note: Note };
  /** How many events the directory covers; absent: all. */
  readonly sealed?: number;
  /** Whether an event's text is in it; absent: all are. */
  readonly isDisclosed?: (event: MadeEvent) => boolean;
  readonly isErased?: boolean;
  /** Contents of files by name. */
  readonly files?: ReadonlyMap<string, string>;
}

/** The lines of an export (docs/proof.md), each with its line feed. */
export function writtenLines(terms: ExportTerms): string[] {
  const { stream, events, origin, keys, proof, isErased = false, files = new Map<string, string>() } = terms;
  const { isDisclosed = () => true, sealed = proof === undefined ? 0 : events.length } = terms;
  const header = {
    annals: 'export/1',
    stream,
    session: stream.slice('session-'.length),
    exported_at: '2025-06-16T00:00:00.000Z',
    events: events.length,
    sealed,
    erased: isErased,
    disclosed: terms.isDisclosed === undefined ? 'all' : 'none',
    origin,
    keys,
  };
  return [
    header,
    ...(proof === undefined ? [] : [proofLine(stream, proof)]),
    ...events.flatMap((event) =>
      isDisclosed(event) ? [eventLine(event, true), ...fileLines(event, files)] : [eventLine(event, false)],
    ),
    { end: events.length },
  ].map((line) => `${JSON.stringify(line)}\n`);
}

export const writtenExport = (terms: ExportTerms): string => writtenLines(terms).join('');

function proofLine(stream: string, { seal, note }: NonNullable<ExportTerms['proof']>): object {
  const inclusion = { index: seal.size - 1, path: seal.inclusion, note: formatNote(note) };
  return {
    directory: toHex(seal.directory),
    path: seal.path(stream).map(toHex),
    proof: formatProof(inclusion),
  };
}

function eventLine(event: MadeEvent, isDisclosed: boolean): object {
  const { revision, id, type, time, actor = 'key_1', run, causationId, correlationId } = event;
  const { commitment, prev, salt, text } = event;
  return {
    revision,
    id,
    type,
    time,
    schemaVersion: 1,
    project: 'default',
    actor,
    run,
    causationId,
    correlationId,
    commitment,
    prev,
    ...(isDisclosed ? { salt: toHex(salt), text } : {}),
  };
}

const fileLines = ({ text }: MadeEvent, files: ReadonlyMap<string, string>): object[] =>
  [...files].filter(([name]) => text.includes(`"$file":"${name}"`)).map(([file, text]) => ({ file, text }));

/** What an event says where a text is too large for it. */
export const fileRef = (name: string, content: string): object => ({
  $file: name,
  bytes: utf8(content).length,
  sha256: toHex(sha256(utf8(content))),
});
