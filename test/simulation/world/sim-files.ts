import { FileMissing, FileStore } from '#vault';
import type { Owner } from '../engine/scheduler.js';
import { type SimWorld, strikes } from './sim-world.js';

/** Files that all workers of a world share, by scope and name. */
export type Files = Map<string, Uint8Array>;

/** One worker's way to the shared files: writing and reading take time. */
export class SimFiles extends FileStore {
  constructor(
    private readonly files: Files,
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
  }

  override put(scope: string, content: Uint8Array): Promise<string> {
    const name = nameOf(content);
    return this.soon('file written', () => {
      this.files.set(`${scope}/${name}`, content);
      return name;
    });
  }

  override get(scope: string, name: string): Promise<Uint8Array> {
    return this.soon('file read', () => {
      const content = this.files.get(`${scope}/${name}`);
      if (content === undefined) throw new FileMissing(`there is no file ${name} of ${scope}`);
      return content;
    });
  }

  override remove(scope: string): Promise<void> {
    return this.soon('files removed', () => {
      for (const name of this.files.keys()) if (name.startsWith(`${scope}/`)) this.files.delete(name);
    });
  }

  private soon<T>(label: string, work: () => T): Promise<T> {
    const ms = strikes(this.world, 'fileSlow') ? 1 + this.world.tape.choose(500) : 0;
    return new Promise((resolve, reject) => {
      this.world.scheduler.after(this.owner, ms, label, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }
}

/** Keeps what was said once, for the checkers: nothing is removed from it. */
export class ArchivedFiles extends FileStore {
  constructor(
    private readonly files: FileStore,
    private readonly archive: Files,
  ) {
    super();
  }

  override async put(scope: string, content: Uint8Array): Promise<string> {
    const name = await this.files.put(scope, content);
    this.archive.set(`${scope}/${name}`, content);
    return name;
  }

  override get(scope: string, name: string): Promise<Uint8Array> {
    return this.files.get(scope, name);
  }

  override remove(scope: string): Promise<void> {
    return this.files.remove(scope);
  }
}

function nameOf(content: Uint8Array): string {
  let hash = content.length;
  for (let i = 0; i < Math.min(content.length, 200); i++)
    hash = Math.imul(hash ^ (content[i] ?? 0), 0x01000193);
  return `${content.length}-${(hash >>> 0).toString(16)}`;
}
