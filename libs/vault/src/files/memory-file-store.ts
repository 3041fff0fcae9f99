import { FileMissing, FileStore } from './file-store.js';
import { nameOf } from './names.js';

/** Files in memory, for tests and the simulation. */
export class MemoryFileStore extends FileStore {
  private readonly scopes = new Map<string, Map<string, Uint8Array>>();

  constructor(private readonly secret: Uint8Array = new Uint8Array(32)) {
    super();
  }

  override async put(scope: string, content: Uint8Array): Promise<string> {
    const name = nameOf(this.secret, scope, content);
    const files = this.scopes.get(scope) ?? new Map<string, Uint8Array>();
    this.scopes.set(scope, files.set(name, content.slice()));
    return name;
  }

  override async get(scope: string, name: string): Promise<Uint8Array> {
    const content = this.scopes.get(scope)?.get(name);
    if (content === undefined) throw new FileMissing(`there is no file ${name} of ${scope}`);
    return content.slice();
  }

  override async remove(scope: string): Promise<void> {
    this.scopes.delete(scope);
  }
}
