import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Dice } from '../dice.js';
import {
  DRAFT_BYTES,
  FILES_PURPOSE,
  type FilesChildOptions,
  type KeptAs,
  contentOf,
  draftName,
  tell,
} from './children.js';

/**
 * A process that keeps files under the key of its folder and tells what it kept and removed. Names of drafts are counted
 * and not drawn, so that strace can be told them.
 */
const options = JSON.parse(process.argv[2] ?? '') as FilesChildOptions;
const drawn = crypto.randomBytes;
let drafts = 0;
crypto.randomBytes = (size: number) =>
  size === DRAFT_BYTES ? Buffer.from(draftName(drafts++), 'hex') : drawn(size);
syncBuiltinESMExports();
const { DiskFileStore } = await import('../../../libs/vault/src/files/disk-file-store.js');
const { openMasterKey } = await import('../../../libs/platform/src/key-files.js');
const { SecretBox } = await import('../../../libs/platform/src/secret-box.js');

const PATIENCE = 4;
const dice = new Dice(options.seed);
const secret = new SecretBox(openMasterKey(options.folder, null, false)).derive(FILES_PURPOSE);
tell({ kind: 'key', key: secret.toString('hex') });
const store = await DiskFileStore.open(join(options.folder, 'files'), secret, { isAlone: true });

for (let n = 0; n < options.files; n++) await (options.isOneScope === true ? step(n) : anyStep(n));

async function step(n: number): Promise<void> {
  if (n % 3 === 2) await remove('s0');
  else await put('s0', options.seed * 1000 + n);
}

async function anyStep(n: number): Promise<void> {
  const number = options.seed * 1000 + n;
  const scope = `s${dice.below(5)}`;
  if (dice.chance(10)) await remove(scope);
  else if (dice.chance(60)) await put(scope, number);
  else await keep(scope, number, (bytes) => upload(scope, bytes));
  // Two at once, in a scope that is new to both.
  if (dice.chance(15)) await Promise.all([put(`n${n}`, number + 100_000), put(`n${n}`, number + 200_000)]);
}

async function remove(scope: string): Promise<void> {
  tell({ kind: 'removing', scope });
  await again(() => store.remove(scope));
  tell({ kind: 'removed', scope });
}

function put(scope: string, number: number): Promise<void> {
  return keep(scope, number, async (bytes) => ({ name: await store.put(scope, bytes) }));
}

async function keep(scope: string, number: number, put: (bytes: Buffer) => Promise<KeptAs>): Promise<void> {
  tell({ kind: 'keeping', scope, number });
  const as = await again(() => put(contentOf(number)));
  tell({ kind: 'kept', scope, number, ...as });
}

async function upload(scope: string, bytes: Buffer): Promise<KeptAs> {
  const half = Math.floor(bytes.length / 2);
  async function* pieces() {
    yield bytes.subarray(0, half);
    yield bytes.subarray(half);
  }
  const received = await store.receive(pieces(), bytes.length);
  const name = await received.keep(scope);
  await received.discard();
  return { name, key: received.key };
}

/** What failed is tried again, as a client would. */
async function again<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      tell({ kind: 'failed', detail: String(error) });
      if (tries === PATIENCE) process.exit(4);
    }
  }
}
