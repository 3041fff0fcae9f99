import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A way in which a text may stand in bytes. */
interface Spelling {
  readonly how: string;
  readonly bytes: Buffer;
}

/** What stands somewhere, and how it is written there. */
export interface Finding {
  readonly word: string;
  readonly how: string;
}

/**
 * Looks for words in bytes, in all the ways in which programs write them down: as they are, in JSON, in URLs and forms, as
 * base64 within something longer, as hex, in two bytes a character.
 */
export class Search {
  private readonly spellings: ReadonlyMap<string, readonly Spelling[]>;

  constructor(words: readonly string[]) {
    this.spellings = new Map(words.map((word) => [word, spellingsOf(word)]));
  }

  in(bytes: Buffer | string): Finding[] {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    const found: Finding[] = [];
    for (const [word, spellings] of this.spellings) {
      const hit = spellings.find((one) => buffer.includes(one.bytes));
      if (hit !== undefined) found.push({ word, how: hit.how });
    }
    return found;
  }

  /** In every file below a folder, as `file (how): word`. What goes away meanwhile is passed over. */
  async below(folder: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { path, isFile } of entriesOf(folder)) {
      const place = relative(folder, path);
      for (const { word, how } of this.in(place)) found.push(`the name ${place} (${how}): ${word}`);
      const bytes = isFile ? await readFile(path).catch(ifGone(Buffer.alloc(0))) : '';
      for (const { word, how } of this.in(bytes)) found.push(`${place} (${how}): ${word}`);
    }
    return found;
  }
}

async function* entriesOf(
  folder: string,
): AsyncIterable<{ readonly path: string; readonly isFile: boolean }> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifGone([]))) {
    const path = join(folder, entry.name);
    yield { path, isFile: entry.isFile() };
    if (entry.isDirectory()) yield* entriesOf(path);
  }
}

const ifGone =
  <T>(instead: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead;
    throw error;
  };

/** The files below a folder that hold one of the words, as `file (how): word`. */
export const filesWith = (folder: string, words: readonly string[]): Promise<string[]> =>
  new Search(words).below(folder);

/** Each once: many are the same for simple words. */
function spellingsOf(word: string): Spelling[] {
  const bytes = Buffer.from(word);
  const hex = bytes.toString('hex');
  const texts: readonly (readonly [string, string])[] = [
    ['JSON', JSON.stringify(word).slice(1, -1)],
    [
      'ASCII JSON',
      JSON.stringify(word)
        .slice(1, -1)
        .replaceAll(/[^\x20-\x7e]/g, unicodeEscape),
    ],
    ['JSON in JSON', JSON.stringify(JSON.stringify(word).slice(1, -1)).slice(1, -1)],
    ['URL', encodeURIComponent(word)],
    ['form', new URLSearchParams({ a: word }).toString().slice(2)],
    ['hex', hex],
    ['HEX', hex.toUpperCase()],
  ];
  const all: Spelling[] = [
    { how: 'plain', bytes },
    { how: 'UTF-16', bytes: Buffer.from(word, 'utf16le') },
    ...[0, 1, 2].flatMap((shift) => base64Within(bytes, shift)),
    ...texts.map(([how, text]) => ({ how, bytes: Buffer.from(text) })),
  ];
  return all.filter((one, at) => all.findIndex((other) => other.bytes.equals(one.bytes)) === at);
}

/** As base64 shows it that stands `shift` bytes behind a border of three: without the characters that its neighbours change. */
function base64Within(bytes: Buffer, shift: number): Spelling[] {
  const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
  const whole = padded.subarray(0, padded.length - (padded.length % 3)).toString('base64');
  const sure = whole.slice(shift === 0 ? 0 : 4);
  const url = sure.replaceAll('+', '-').replaceAll('/', '_');
  // Shorter ones stand anywhere by chance.
  if (sure.length < 8) return [];
  return [
    { how: 'base64', bytes: Buffer.from(sure) },
    { how: 'base64url', bytes: Buffer.from(url) },
  ];
}

const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
