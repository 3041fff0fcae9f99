import { type UnzipFileInfo, unzipSync } from 'fflate';
import { percentDecoded } from '#platform';
import { unprocessable } from './unreadable-file.js';

/** Of all the parts that are read, unpacked. Office packs text to a tenth; a bomb to a thousandth. */
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;
const MAX_ENTRIES = 20_000;

/** The parts of a package, unpacked as they are asked for. @throws UnreadableFile */
export class ZipParts {
  readonly names: ReadonlySet<string>;
  private readonly bytes: Uint8Array;
  /** By what other programs may call them. */
  private readonly spellings = new Map<string, string>();
  private readonly seen = new Set<string>();
  private unpacked = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const names = new Set<string>();
    unzip(bytes, ({ name }) => {
      if (names.size >= MAX_ENTRIES) throw unprocessable('the package has too many parts');
      names.add(name);
      return false;
    });
    this.names = names;
    for (const name of names) this.spellings.set(spelled(name), name);
  }

  /** Whether it is the first time that this is asked of a part: what is shown several times is read once. */
  isNew(name: string): boolean {
    const isNew = !this.seen.has(name);
    this.seen.add(name);
    return isNew;
  }

  /** A part's bytes; null: there is none. The size that the package states is the size that is unpacked, or it is broken. */
  read(asked: string): Uint8Array | null {
    const name = this.names.has(asked) ? asked : this.spellings.get(spelled(asked));
    if (name === undefined) return null;
    const found = unzip(this.bytes, (entry) => {
      if (entry.name !== name) return false;
      this.unpacked += entry.originalSize;
      if (this.unpacked > MAX_UNPACKED_BYTES) throw unprocessable('the package unpacks to more than 200 MB');
      return true;
    });
    return found[name] ?? null;
  }
}

/** Names of parts differ neither in the case of letters nor in escapes (ECMA-376, part 2); some programs write backslashes. */
function spelled(name: string): string {
  const plain = name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
  return percentDecoded(plain);
}

function unzip(bytes: Uint8Array, filter: (entry: UnzipFileInfo) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof Error && error.name === 'UnreadableFile') throw error;
    throw unprocessable('the package is damaged');
  }
}
