import type { DocumentWarning } from '#domain';

/** Says that something of a file is missing from its text, and what. `page` as in Block. */
export type Warn = (code: WarningCode, detail: string, page?: number | null) => void;

export type WarningCode =
  /** Bytes that are no characters in the file's encoding: U+FFFD stands for them. */
  | 'broken_characters'
  /** The encoding that the file declares is not known here. */
  | 'unknown_encoding'
  /** A page with glyphs or pictures that gave no letters. */
  | 'no_letters'
  /** A picture that could not be read. */
  | 'unreadable_picture'
  /** A page, sheet, slide or other part that could not be read. */
  | 'unreadable_part'
  /** A file inside the file. */
  | 'embedded_file'
  /** What lies beyond a limit was not read. */
  | 'limit';

export const MAX_WARNINGS = 50;
const MAX_DETAIL = 300;

/** The warnings of one file: each once, the first ones, and how many more there were. */
export class Warnings {
  private readonly told = new Map<string, DocumentWarning>();
  private more = 0;
  private last = '';

  readonly add: Warn = (code, detail, page = null) => {
    const told = { code, detail: oneLine(detail), ...(page === null ? {} : { page }) };
    const key = JSON.stringify(told);
    if (this.told.has(key) || key === this.last) return;
    this.last = key;
    if (this.told.size < MAX_WARNINGS - 1) this.told.set(key, told);
    else this.more += 1;
  };

  all(): readonly DocumentWarning[] {
    const all = [...this.told.values()];
    if (this.more > 0) all.push({ code: 'more', detail: `${this.more} more warnings are not shown` });
    return all;
  }
}

/** PostgreSQL takes neither U+0000 nor half characters. */
const oneLine = (text: string): string =>
  text
    .slice(0, MAX_DETAIL)
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ');
