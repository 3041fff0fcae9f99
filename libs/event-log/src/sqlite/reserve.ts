import { randomBytes } from 'node:crypto';
import { open, rename, stat, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Disk space reserved for a full disk, larger than the largest WAL, so that its release lets a checkpoint
 * through. Owns the file `reserve` in the log's folder.
 */
export class Reserve {
  private readonly file: string;
  private work: Promise<void> = Promise.resolve();
  private isThere = false;
  isClosed = false;
  private freeBytes = Number.POSITIVE_INFINITY;

  constructor(
    private readonly folder: string,
    private readonly bytes: number,
  ) {
    this.file = join(folder, 'reserve');
  }

  /** What is wrong with the disk space, if anything is. */
  get problem(): string | undefined {
    if (this.freeBytes >= this.bytes && (this.isThere || this.bytes === 0)) return undefined;
    const megabytes = Math.floor(this.freeBytes / 1024 / 1024);
    return `space on the disk of ${this.folder} is low: ${megabytes} MB free, reserve ${this.isThere ? 'kept' : 'in use'}`;
  }

  /** Frees the reserved space. */
  release(): Promise<void> {
    return this.next(async () => {
      this.isThere = false;
      await unlink(this.file).catch(ignoreMissing);
    });
  }

  /** Checks the free space, and recreates the reserve where there is room for twice its size. */
  check(): Promise<void> {
    return this.next(async () => {
      const size = await stat(this.file).then((found) => found.size, ignoreMissing);
      this.isThere = size === this.bytes;
      this.freeBytes = await this.free();
      if (this.isThere || this.freeBytes < this.bytes * 2) return;
      this.isThere = await this.make();
      this.freeBytes = await this.free();
    });
  }

  /** Nothing is written to the folder any more. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.work.catch(() => undefined);
  }

  private async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }

  /** False when closed meanwhile. */
  private async make(): Promise<boolean> {
    const draft = `${this.file}.tmp`;
    const handle = await open(draft, 'w', 0o600);
    try {
      // Not zeros: a file system that compresses would keep nothing back.
      const chunk = randomBytes(Math.min(CHUNK_BYTES, this.bytes));
      for (let left = this.bytes; left > 0 && !this.isClosed; left -= chunk.length)
        await handle.write(chunk, 0, Math.min(left, chunk.length));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await (this.isClosed ? unlink(draft) : rename(draft, this.file));
    return !this.isClosed;
  }

  private next(step: () => Promise<void>): Promise<void> {
    const unlessClosed = async () => {
      if (!this.isClosed) await step();
    };
    this.work = this.work.then(unlessClosed, unlessClosed);
    return this.work;
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as { code?: unknown } | null)?.code === 'ENOENT') return undefined;
  throw error;
}
