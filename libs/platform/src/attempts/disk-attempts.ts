import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../logger.js';
import { Attempts } from './attempts.js';

/** Bound on files left by earlier processes, and on work in progress that is counted. */
const MAX_FILES = 10_000;
/** Counts older than this (7 days) are dropped: the work was done elsewhere or no longer exists. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * Attempts as small files, each named after the hash of its key, with one byte for each start. Not synced: a
 * process's death loses nothing that it has written, and a power failure is not the work's fault. Owns the
 * folder. Processes that share it see each other's counts as they were when they started.
 */
export class DiskAttempts extends Attempts {
  /** How many have begun each work that is in progress in this process. */
  private readonly underWay = new Map<string, number>();
  private isClosed = false;
  private isTold = false;

  private constructor(
    private readonly folder: string,
    /** Counts of earlier processes, by file name. */
    private readonly left: Map<string, number>,
    private readonly logger: Logger,
  ) {
    super();
  }

  /** Where the folder cannot be read or written, a warning is logged and nothing is counted. */
  static async open(folder: string, now: number, logger: Logger): Promise<DiskAttempts> {
    const left = new Map<string, number>();
    const attempts = new DiskAttempts(folder, left, logger);
    await attempts.quietly(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder)) {
        const path = join(folder, name);
        const { size, mtimeMs } = await stat(path);
        const isKept = left.size < MAX_FILES && now - mtimeMs < KEPT_MS;
        if (isKept) left.set(name, size);
        else await rm(path, { force: true });
      }
    });
    return attempts;
  }

  override deaths(key: string): number {
    return this.left.get(nameOf(key)) ?? 0;
  }

  override async begin(key: string): Promise<void> {
    const name = nameOf(key);
    if (this.isClosed || this.underWay.size >= MAX_FILES) return;
    const others = this.underWay.get(name) ?? 0;
    this.underWay.set(name, others + 1);
    // Begun twice by one process it is one death.
    if (others === 0) await this.quietly(() => appendFile(join(this.folder, name), '.', { mode: 0o600 }));
  }

  override async end(key: string): Promise<void> {
    const name = nameOf(key);
    const others = (this.underWay.get(name) ?? 1) - 1;
    if (others > 0) return void this.underWay.set(name, others);
    const isKnown = this.underWay.delete(name) || this.left.has(name);
    this.left.delete(name);
    if (isKnown) await this.remove(name);
  }

  /** Work still in progress ends with this orderly shutdown and is not counted as a death. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.underWay.keys()].map((name) => this.takeBack(name)));
  }

  private async takeBack(name: string): Promise<void> {
    const deaths = this.left.get(name) ?? 0;
    await this.remove(name);
    // What was known of it before stays known.
    if (deaths > 0) await this.quietly(() => appendFile(join(this.folder, name), '.'.repeat(deaths)));
  }

  private remove(name: string): Promise<void> {
    return this.quietly(() => rm(join(this.folder, name), { force: true }));
  }

  private async quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.isTold) this.logger.warn({ err: error }, 'what is begun cannot be counted');
      this.isTold = true;
    }
  }
}

/** Short, and reveals nothing of the key. */
const nameOf = (key: string): string => hash('sha256', key, 'hex').slice(0, 40);
