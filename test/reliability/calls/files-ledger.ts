import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DiskFileStore } from '../../../libs/vault/src/files/disk-file-store.js';
import { nameOf } from '../../../libs/vault/src/files/names.js';
import { openMasterKey } from '../../../libs/platform/src/key-files.js';
import { SecretBox } from '../../../libs/platform/src/secret-box.js';
import type { Verdict } from '../verdict.js';
import { FILES_PURPOSE, type KeptAs, type Told, contentOf } from './children.js';

/** What has been told of files and of the folder's key, and whether a folder holds it. */
export class FilesLedger {
  private key: string | undefined;
  /** By scope and number of the content. */
  private readonly kept = new Map<string, Map<number, KeptAs>>();
  /** Numbers of contents, by scope. */
  private readonly tried = new Map<string, Set<number>>();
  private readonly removed = new Map<string, Set<number>>();
  /** Names of files that came in pieces, which are not made of the content: kept ones by scope, and removed ones. */
  private readonly named = new Map<string, string[]>();
  private readonly gone = new Set<string>();

  get acknowledged(): number {
    return [...this.kept.values()].reduce((sum, { size }) => sum + size, 0);
  }

  take(told: Told): void {
    if (told.kind === 'key') this.key = told.key;
    else if (told.kind === 'keeping') {
      numbersOf(this.tried, told.scope).add(told.number);
      this.removed.get(told.scope)?.delete(told.number);
    } else if (told.kind === 'kept') this.keep(told);
    else if (told.kind === 'removing') this.kept.delete(told.scope);
    else if (told.kind === 'removed') {
      for (const number of numbersOf(this.tried, told.scope)) numbersOf(this.removed, told.scope).add(number);
      this.tried.delete(told.scope);
      for (const name of this.named.get(told.scope) ?? []) this.gone.add(name);
      this.named.delete(told.scope);
    }
  }

  private keep({ scope, number, name, key }: Extract<Told, { kind: 'kept' }>): void {
    if (!this.kept.has(scope)) this.kept.set(scope, new Map());
    this.kept.get(scope)!.set(number, { name, ...(key !== undefined && { key }) });
    if (key !== undefined) this.named.set(scope, [...(this.named.get(scope) ?? []), name]);
  }

  /** Opens the key and the files of a folder, reads them and goes on with them. */
  async judge(folder: string, verdict: Verdict, where: string): Promise<void> {
    try {
      const secret = new SecretBox(openMasterKey(folder, null, false)).derive(FILES_PURPOSE);
      if (this.key !== undefined && this.key !== secret.toString('hex')) {
        verdict.lost += this.acknowledged;
        return verdict.note(`${where}: the key of the folder is another`);
      }
      const files = join(folder, 'files');
      const store = await DiskFileStore.open(files, secret, { isAlone: true });
      await this.judgeKept(store, verdict, where);
      await this.judgeNamed(store, files, secret, verdict, where);
      const name = await store.put('judge', contentOf(0));
      await store.get('judge', name);
    } catch (error) {
      verdict.note(`${where}: ${String(error)}`);
    }
  }

  private async judgeKept(store: DiskFileStore, verdict: Verdict, where: string): Promise<void> {
    for (const [scope, files] of this.kept)
      for (const [number, { name, key }] of files) {
        const content = contentOf(number);
        const read = () =>
          key === undefined
            ? store.get(scope, name)
            : store.kept(scope, name, { bytes: content.length, key }).read();
        const found = await read().catch(() => null);
        if (found !== null && Buffer.compare(found, content) === 0) continue;
        verdict.lost += 1;
        verdict.note(
          `${where}: file ${number} of ${scope} was acknowledged and is ${found ? 'not whole' : 'lost'}`,
        );
      }
  }

  /** What has a name is whole, and what was removed has none. */
  private async judgeNamed(
    store: DiskFileStore,
    folder: string,
    secret: Uint8Array,
    verdict: Verdict,
    where: string,
  ): Promise<void> {
    for (const scope of readdirSync(folder)) {
      if (scope.startsWith('.')) continue;
      const gone = new Set(
        [...numbersOf(this.removed, scope)].map((n) => nameOf(secret, scope, contentOf(n))),
      );
      for (const name of readdirSync(join(folder, scope))) {
        const isWhole = await store.get(scope, name).then(
          () => true,
          () => false,
        );
        verdict.require(isWhole, () => `${where}: file ${name} of ${scope} has its name and is not whole`);
        const isBack = gone.has(name) || this.gone.has(name);
        verdict.require(!isBack, () => `${where}: file ${name} of ${scope} was removed and is there`);
      }
    }
    verdict.require(existsSync(join(folder, '.drafts')), () => `${where}: there is no folder for drafts`);
  }
}

function numbersOf(numbers: Map<string, Set<number>>, scope: string): Set<number> {
  let found = numbers.get(scope);
  if (found === undefined) numbers.set(scope, (found = new Set()));
  return found;
}
