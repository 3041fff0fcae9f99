import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSameText, keepFolder } from '#platform';
import { FileDamaged, FileMissing, FileStore } from './file-store.js';
import { ContentKey, KEY_BYTES } from '#event-log';
import type { ReadableFile, ReceivedFile, UploadStore } from './upload-store.js';
import { digestFile, linkDraft, writeDraft } from './draft.js';
import { nameHash, nameOf, scopeFolder, scopeOfFolder } from './names.js';
import { openPieces } from './sealed-pieces.js';

/** Folder of unfinished files; no scope's folder has a dot in its name. */
const DRAFTS = '.drafts';
const MOST_NAMED = 10_000;
/** Age at which a leftover draft is deleted. A younger one may be another replica's, which shares the folder. */
const DRAFT_LIVES_MS = 60 * 60 * 1000;

/**
 * Files on disk, in one folder for each scope. Owns everything below its folder.
 * 1. A file gets its name only when its content is complete and synced; a crash leaves at most a draft.
 * 2. The names of the file and of its folder are durable before `put` resolves: both parent folders are synced, even
 *    if a concurrent call or a process that died before its sync created them.
 * 3. `get` returns what was put: names are derived from the content.
 */
export class DiskFileStore extends FileStore implements UploadStore {
  /** Scopes whose folder names are synced, or being synced. */
  private readonly named = new Map<string, Promise<void>>();

  private constructor(
    private readonly folder: string,
    private readonly secret: Uint8Array,
  ) {
    super();
  }

  /**
   * Creates the folder and removes drafts left by a crash.
   * @param secret key of the HMAC that names files
   * @param isAlone no other process writes to the folder, so that every draft is a leftover
   */
  static async open(
    folder: string,
    secret: Uint8Array,
    { isAlone = false }: { readonly isAlone?: boolean } = {},
  ): Promise<DiskFileStore> {
    const drafts = join(folder, DRAFTS);
    keepFolder(drafts);
    for (const name of await readdir(drafts)) {
      const draft = join(drafts, name);
      if (isAlone || (await changedAt(draft)) < Date.now() - DRAFT_LIVES_MS) await rm(draft, { force: true });
    }
    return new DiskFileStore(folder, secret);
  }

  override async put(scope: string, content: Uint8Array): Promise<string> {
    const name = nameOf(this.secret, scope, content);
    const folder = await this.makeFolder(scope);
    // Also where it is there already: that one may be damaged.
    await this.write(join(folder, name), content);
    await syncFolder(folder);
    return name;
  }

  override async get(scope: string, name: string): Promise<Uint8Array> {
    const content = await this.orMissing(scope, name, (path) => readFile(path));
    const actual = nameOf(this.secret, scope, content);
    if (!isSameText(actual, name)) throw new FileDamaged(`file ${name} of ${scope} is damaged`);
    return content;
  }

  override async remove(scope: string): Promise<void> {
    await rm(join(this.folder, scopeFolder(scope)), { recursive: true, force: true });
    await syncFolder(this.folder);
  }

  async receive(pieces: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedFile> {
    const key = uploadKey(randomBytes(KEY_BYTES));
    const { path, bytes, sha256 } = await writeDraft(join(this.folder, DRAFTS), pieces, maxBytes, key);
    return {
      bytes,
      sha256,
      key: key.bytes.toString('hex'),
      read: () => openPieces(path, key),
      keep: async (scope) => {
        const name = await digestFile(path, nameHash(this.secret, scope));
        const folder = await this.makeFolder(scope);
        await linkDraft(path, join(folder, name));
        await syncFolder(folder);
        return name;
      },
      discard: () => rm(path, { force: true }),
    };
  }

  kept(
    scope: string,
    name: string,
    { bytes, key }: { readonly bytes: number; readonly key: string | undefined },
  ): ReadableFile {
    const sealedWith = key === undefined ? null : uploadKey(Buffer.from(key, 'hex'));
    const open = async (path: string) =>
      sealedWith === null ? new Uint8Array(await readFile(path)) : openPieces(path, sealedWith);
    return { bytes, read: () => this.orMissing(scope, name, open) };
  }

  async sealAnew(scope: string, name: string): Promise<{ readonly name: string; readonly key: string }> {
    const content = await this.orMissing(scope, name, async (path) => readFile(path));
    const received = await this.receive(oneOf(content), content.length);
    try {
      return { name: await received.keep(scope), key: received.key };
    } finally {
      await received.discard();
    }
  }

  async keepOnly(scope: string, name: string): Promise<void> {
    const folder = join(this.folder, scopeFolder(scope));
    const others = (await readdir(folder).catch(orNothing)).filter((other) => other !== name);
    if (others.length === 0) return;
    for (const other of others) await rm(join(folder, other), { force: true });
    await syncFolder(folder);
  }

  async scopesBefore(prefix: string, before: number): Promise<readonly string[]> {
    const found: string[] = [];
    for (const folder of await readdir(this.folder)) {
      const scope = scopeOfFolder(folder);
      if (scope === null || !scope.startsWith(prefix)) continue;
      if ((await changedAt(join(this.folder, folder))) < before) found.push(scope);
    }
    return found;
  }

  private async orMissing(
    scope: string,
    name: string,
    read: (path: string) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    if (!/^[0-9a-f]{64}$/.test(name)) throw new FileMissing(`${name} is not the name of a file`);
    try {
      return await read(join(this.folder, scopeFolder(scope), name));
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new FileMissing(`there is no file ${name} of ${scope}`, { cause: error });
    }
  }

  /** Invariant 1. */
  private async write(file: string, content: Uint8Array): Promise<void> {
    const draft = join(this.folder, DRAFTS, randomBytes(16).toString('hex'));
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Invariant 2. */
  private async makeFolder(scope: string): Promise<string> {
    const folder = join(this.folder, scopeFolder(scope));
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    let named = made === undefined ? this.named.get(folder) : undefined;
    if (named === undefined) {
      if (this.named.size >= MOST_NAMED) this.named.clear();
      this.named.set(folder, (named = syncFolder(this.folder)));
    }
    await named.catch((error: unknown) => {
      this.named.delete(folder);
      throw error;
    });
    return folder;
  }
}

async function* oneOf(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

function orNothing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

const uploadKey = (bytes: Uint8Array): ContentKey => new ContentKey('upload', bytes);

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Infinity for what has gone meanwhile. */
const changedAt = (folder: string): Promise<number> =>
  stat(folder).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) => {
      if (isMissing(error)) return Infinity;
      throw error;
    },
  );

const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ENOENT';
