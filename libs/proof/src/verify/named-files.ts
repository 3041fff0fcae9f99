/** A file that an event names in the place of a text. */
export interface NamedFile {
  readonly name: string;
  readonly bytes: number;
  /** Hex; null: an earlier version stored it, and did not say. */
  readonly sha256: string | null;
}

/** Within JSON text a quote is escaped, so this can only be the name of a stored file. */
const FILE = /\{"\$file":"([^"\\]{1,300})","bytes":(\d{1,16})(?:,"sha256":"([0-9a-f]{64})")?/g;

/** Those that an event's text names, in their order; one that is named twice is there twice. */
export const filesNamedIn = (text: string): readonly NamedFile[] =>
  Array.from(text.matchAll(FILE), ([, name = '', bytes, sha256 = null]) => ({
    name,
    bytes: Number(bytes),
    sha256,
  }));
