import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** The content codings that files are kept in, the best first. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file in one content coding. */
export interface ConsoleFile {
  readonly type: string;
  /** `identity`, `br` or `gzip`. */
  readonly coding: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export const SHELL = 'index.html';
/** The page that verifies exports without a service: one file, to be kept. It is built beside the console. */
export const VERIFIER = 'verify.html';

/**
 * The files of the built console. Owns them in memory, from the first request on: what is built later is served after the
 * next start.
 */
export class ConsoleFiles {
  private reading: Promise<ReadonlyMap<string, ConsoleFile>> | null = null;

  constructor(private readonly folder: string = builtFolder()) {}

  /**
   * @param acceptEncoding the request's header
   * @returns null: there is no such file
   */
  async find(name: string, acceptEncoding: string | undefined): Promise<ConsoleFile | null> {
    const files = await (this.reading ??= this.read());
    const takes = codingsOf(acceptEncoding);
    for (const [coding, ending] of CODINGS) {
      const file = takes.has(coding) ? files.get(name + ending) : undefined;
      if (file !== undefined) return file;
    }
    return files.get(name) ?? null;
  }

  /** index.html is written last: where it is the same after the others were read, they are those that it names. */
  private async read(): Promise<ReadonlyMap<string, ConsoleFile>> {
    try {
      for (;;) {
        const shell = await readFile(join(this.folder, SHELL));
        const names = await readdir(this.folder, { recursive: true, withFileTypes: true });
        const paths = names.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
        const found = await Promise.all([
          ...paths.map((path) => this.open(path, path.slice(this.folder.length + 1))),
          this.open(join(dirname(this.folder), VERIFIER), VERIFIER),
        ]);
        if (shell.equals(await readFile(join(this.folder, SHELL))))
          return new Map(found.filter((file) => file !== null));
      }
    } catch (error) {
      this.reading = null;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
      throw error;
    }
  }

  private async open(path: string, name: string): Promise<readonly [string, ConsoleFile] | null> {
    const coded = CODINGS.find(([, ending]) => path.endsWith(ending));
    const type = TYPES[extname(coded === undefined ? path : path.slice(0, -coded[1].length))];
    if (type === undefined) return null;
    const bytes = await readFile(path).catch(() => null);
    if (bytes === null) return null;
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return [name, { type, coding: coded?.[0] ?? 'identity', bytes, etag }];
  }
}

/** Those that the header takes, by name; `q=0` takes one out (RFC 9110, 12.5.3). */
function codingsOf(header = ''): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...more] = part.split(';').map((text) => text.trim());
    if (!more.some((text) => /^q=0(?:\.0*)?$/.test(text))) taken.add(name);
  }
  return taken;
}

const builtFolder = (): string =>
  join(dirname(findPackageJSON('.', import.meta.url) ?? 'package.json'), 'dist', 'console');
