import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Random } from '#platform';
import { type Account, own } from './account.js';
import type { Binaries } from './binaries.js';

/**
 * The folder that PostgreSQL keeps its data in, next to the file with its password:
 * `postgres`, `postgres.password`, and `postgres.set-aside`, the latest folder that could not be opened.
 */
export class DataFolder {
  constructor(
    readonly path: string,
    private readonly random: Random,
  ) {}

  private get passwordFile(): string {
    return `${this.path}.password`;
  }

  /** Why the folder cannot be used by this version; null: it can, or there is none. */
  unusable(version: string): string | null {
    if (!existsSync(this.path)) return null;
    const found = readIfThere(join(this.path, 'PG_VERSION'))?.trim();
    if (found === undefined) return 'it is no data folder of PostgreSQL';
    if (found !== version) return `it belongs to PostgreSQL ${found}, this is ${version}`;
    if (readIfThere(this.passwordFile) === null) return 'its password is lost';
    return null;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  get password(): string {
    return readFileSync(this.passwordFile, 'utf8').trim();
  }

  /** Renames it, so that it can be looked into; only the latest is kept. Returns its new name. */
  setAside(): string {
    const aside = `${this.path}.set-aside`;
    rmSync(aside, { recursive: true, force: true });
    renameSync(this.path, aside);
    return basename(aside);
  }

  /** Makes a new, empty database; what a crash left of an earlier try is removed. */
  async create(binaries: Binaries, account: Account): Promise<void> {
    const fresh = `${this.path}.new`;
    const secret = `${this.path}.init`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh);
    own(fresh, account, 0o700);
    // The one that is there stays, because connections are made with it already.
    const password = readIfThere(this.passwordFile)?.trim() ?? this.random.hex(24);
    writePrivate(this.passwordFile, `${password}\n`);
    writePrivate(secret, `${password}\n`);
    own(secret, account, 0o600);
    try {
      await run(
        account,
        binaries.initdb,
        [...INIT, `--pgdata=${fresh}`, `--pwfile=${secret}`],
        dirname(this.path),
      );
    } finally {
      rmSync(secret);
    }
    renameSync(fresh, this.path);
  }
}

export const DATABASE_USER = 'annals';

/** Small segments: a fresh folder takes 31 MB instead of 39. What is lost by a crash in here is made anew. */
const INIT = [
  `--username=${DATABASE_USER}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--wal-segsize=4',
  '--no-sync',
  '--no-instructions',
];

function run(account: Account, program: string, args: readonly string[], cwd: string): Promise<void> {
  const command = account.command(program, args);
  const child = spawn(command.file, command.args, {
    ...account.spawn,
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed: ${errors.join('').trim().split('\n').at(-1) ?? ''}`));
    });
  });
}

function writePrivate(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600 });
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
