import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Directory,
  TreeEdge,
  concat,
  leafHash,
  linkOf,
  parseCheckpoint,
  parseNote,
  readEntry,
  sha256,
  toHex,
} from '#proof';
import { placeDatabase } from '../support/fresh-database.js';
import { verdictOf } from '../support/proof/verified.js';
import type { Ended, ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

let service: ServiceProcess;
let client: ServiceClient;
beforeAll(async () => {
  service = await ServiceProcess.start();
  client = service.client();
});
afterAll(() => service.dispose());

const runs = (count: number): Promise<Ended[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => client.runToEnd({ message: `hello ${n}` })));
const exported = async (session: string, query = ''): Promise<string> =>
  (await client.get(`/sessions/${session}/export${query}`)).text;
const policy = async (): Promise<string> => (await client.get('/proof/keys')).text;
const receiptOf = async (run: string): Promise<string> => (await client.get(`/runs/${run}/receipt`)).text;

/** With the service stopped. */
function verifyLog(): { readonly code: number | null; readonly said: string } {
  const program = resolve('dist/apps/server/src/cli/main.js');
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: service.dataDir, ENV_FILE: '/dev/null' };
  const { status, stdout } = spawnSync(resolve('node_modules/.bin/node'), [program, 'verify-log'], {
    env,
    encoding: 'utf8',
  });
  return { code: status, said: stdout };
}

/** Bytes of a tile. A page of the specification, not of the description: asked for as a monitor does. */
async function tile(path: string, key = ADMIN_KEY): Promise<Response> {
  return fetch(`${service.origin}/proof/tile/${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function wholeTile(
  level: string,
  width: number,
  itemBytes: (at: Uint8Array) => number,
): Promise<Uint8Array[]> {
  const items: Uint8Array[] = [];
  for (let index = 0; items.length < width; index++) {
    const left = Math.min(256, width - items.length);
    const place = String(index).padStart(3, '0');
    const answer = await tile(`${level}/${place}${left === 256 ? '' : `.p/${left}`}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      'private, max-age=31536000, immutable',
    ]);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    for (let at = 0; at < bytes.length;) {
      const size = itemBytes(bytes.subarray(at));
      items.push(bytes.slice(at, at + size));
      at += size;
    }
  }
  expect(items).toHaveLength(width);
  return items;
}

describe('a session that is exported', () => {
  it('is proved by whoever has the keys, with what was disclosed and with receipts', async () => {
    const [{ session, run_id: run }] = (await runs(3)) as [Ended];
    const keys = await policy();
    const receipts = [await receiptOf(run)];
    const { text: file, headers } = await client.get(`/sessions/${session}/export`);
    expect(headers).toMatchObject({
      'content-type': 'application/jsonl',
      'content-disposition': `attachment; filename="${session}.annals.jsonl"`,
      'cache-control': 'no-store',
    });
    expect(verdictOf(file)).toMatchObject({ verdict: 'verified', level: 'chain' });
    expect(verdictOf(file, { policy: keys })).toMatchObject({
      verdict: 'verified',
      level: 'signed',
      warnings: [],
    });
    expect(verdictOf(file, { policy: keys, receipts })).toMatchObject({ level: 'receipted', receipts: 1 });
    for (const disclose of ['none', '0', '1-3,5']) {
      const some = await exported(session, `?disclose=${disclose}`);
      expect(verdictOf(some, { policy: keys })).toMatchObject({ level: 'signed', disclosed: disclose });
      expect(some.match(/"text":/g)?.length ?? 0).toBe({ none: 0, '0': 1, '1-3,5': 4 }[disclose]);
    }
    expect(verdictOf(file.replace('hello 0', 'hello 1'), { policy: keys })).toMatchObject({
      verdict: 'failed',
      failures: [{ code: 'commitment' }],
    });
    const more = await client.runToEnd({ message: 'and more' }, { session });
    expect(verdictOf(await exported(session), { policy: keys })).toMatchObject({
      runs: { ended: 2, open: 0 },
    });
    expect(more.session).toBe(session);
  });

  it('says which of its texts are wanted wrongly', async () => {
    const [{ session }] = (await runs(1)) as [Ended];
    for (const disclose of ['some', '5-1', '1,,2', '', '1;2'])
      expect((await client.get(`/sessions/${session}/export?disclose=${disclose}`)).status).toBe(400);
    expect((await client.get(`/sessions/${session}/export?disclose=0-9999`)).status).toBe(422);
    expect((await client.get('/sessions/ses_nobody/export')).status).toBe(404);
  });

  it('keeps its structure when it is erased, for who administers it alone', async () => {
    const [{ session, run_id: run }] = (await runs(1)) as [Ended];
    const receipts = [await receiptOf(run)];
    const made = await client.post('/api-keys', { name: 'reads', scopes: ['read'] });
    const reader = client.with(String(made.json()['key']));
    expect((await reader.get(`/sessions/${session}/export`)).status).toBe(200);
    await client.call('DELETE', `/sessions/${session}`);
    expect((await reader.get(`/sessions/${session}/export`)).status).toBe(404);
    const file = await exported(session);
    const terms = { policy: await policy(), receipts };
    expect(verdictOf(file, terms)).toMatchObject({ level: 'receipted', erased: true });
    expect(file).not.toContain('hello');
    expect((await client.get(`/runs/${run}/receipt`)).status).toBe(404);
  });
});

describe('whoever mirrors the log', () => {
  it('makes every root and every directory again from its entries', async () => {
    await runs(20);
    const [{ session }] = (await runs(1)) as [Ended];
    await exported(session);
    const { size, root } = parseCheckpoint(parseNote((await client.get('/proof/checkpoint')).text)!.text)!;
    expect(size).toBeGreaterThan(256);
    const entries = await wholeTile('entries', size, (at) => 2 + at[0]! * 256 + at[1]!);
    const leaves = await wholeTile('0', size, () => 32);
    const [tree, directory] = [new TreeEdge(), new Directory()];
    for (const [at, framed] of entries.entries()) {
      const entry = framed.slice(2);
      const read = readEntry(entry)!;
      if (read.kind === 'directory') expect(toHex(read.root)).toBe(toHex(directory.root));
      else {
        const head = directory.get(read.tag);
        expect(read.revision).toBe((head?.revision ?? -1) + 1);
        directory.set({
          tag: read.tag,
          revision: read.revision,
          link: linkOf(head?.link ?? read.tag, read.hash),
        });
      }
      tree.push(leafHash(entry));
      expect(toHex(leaves[at]!)).toBe(toHex(sha256(concat(Uint8Array.of(0), entry))));
    }
    expect(readEntry(entries.at(-1)!.slice(2))?.kind).toBe('directory');
    expect(toHex(tree.root)).toBe(toHex(root));
    const [first] = await wholeTile('1', Math.floor(size / 256), () => 32);
    const full = new TreeEdge();
    for (const leaf of leaves.slice(0, 256)) full.push(leaf);
    expect(toHex(first!)).toBe(toHex(full.root));
    for (const none of [
      `0/${String(Math.floor(size / 256)).padStart(3, '0')}`,
      '0/0',
      'entries/999',
      '5/000.p/1',
    ])
      expect((await tile(none)).status).toBe(404);
    expect((await tile('0/000', 'annals_of_nobody_at_all')).status).toBe(401);
  });

  it('needs no key where the operator says so', async () => {
    await service.restart('SIGTERM', { env: { PROOF_PUBLIC: 'true' } });
    for (const path of ['checkpoint', 'keys', 'tile/0/000.p/1', 'tile/entries/000.p/1'])
      expect((await fetch(`${service.origin}/proof/${path}`)).status).toBe(200);
    const { headers } = await fetch(`${service.origin}/proof/tile/0/000.p/1`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(`${service.origin}/sessions`)).status).toBe(401);
    await service.restart('SIGTERM');
    expect((await fetch(`${service.origin}/proof/checkpoint`)).status).toBe(401);
  });
});

it('goes on after deaths at any moment: nothing that was signed is taken back', async () => {
  const notes: string[] = [];
  for (let times = 0; times < 4; times++) {
    const [{ session }] = (await runs(2)) as [Ended];
    const asking = exported(session).catch(() => '');
    if (times % 2 === 0) await asking;
    notes.push((await client.get('/proof/checkpoint')).text);
    await service.restart('SIGKILL');
    await asking;
    expect(verdictOf(await exported(session), { policy: await policy() })).toMatchObject({ level: 'signed' });
  }
  const sizes = notes.map((note) => parseCheckpoint(parseNote(note)!.text)!.size);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  await service.kill('SIGTERM');
  expect(verifyLog()).toMatchObject({ code: 0, said: expect.stringMatching(/: \d+ seals\n.* 0 faults\n$/s) });
  await service.launch();
});

describe('with a log that is older than what was signed', () => {
  const backup = mkdtempSync(join(tmpdir(), 'annals-backup-'));
  afterAll(() => rmSync(backup, { recursive: true }));

  it('nothing more is signed, and runs go on', async () => {
    await service.kill('SIGTERM');
    cpSync(join(service.dataDir, 'log'), join(backup, 'log'), { recursive: true });
    await service.launch();
    const [{ session }] = (await runs(2)) as [Ended];
    await exported(session);
    const keys = await policy();
    await service.kill('SIGTERM');
    // The tables are made anew from what is restored.
    for (const name of ['log', 'postgres', 'postgres.password'])
      rmSync(join(service.dataDir, name), { recursive: true });
    await placeDatabase(service.dataDir);
    cpSync(join(backup, 'log'), join(service.dataDir, 'log'), { recursive: true });
    await service.launch();
    await until(async () => (await client.get('/proof/checkpoint')).status === 503);
    expect((await client.get('/proof/checkpoint')).json()).toMatchObject({ code: 'sealing_stopped' });
    await until(async () => /"proof":{"status":"failing"/.test((await client.get('/readyz')).text));
    expect((await client.get('/readyz')).status).toBe(200);
    expect((await client.get('/metrics')).text).toContain('annals_sealing_stopped 1');
    const asked = await client.post('/', { message: 'hello' }, { headers: { accept: 'application/json' } });
    expect([asked.status, asked.headers['annals-receipt']]).toEqual([200, undefined]);
    const { session: later, run_id: run } = asked.json<Ended>();
    expect((await client.get(`/runs/${run}/receipt`)).json()).toMatchObject({ code: 'sealing_stopped' });
    const file = await exported(later);
    expect(verdictOf(file)).toMatchObject({ verdict: 'verified', level: 'chain', sealed: 0 });
    expect(verdictOf(file, { policy: keys })).toMatchObject({
      verdict: 'failed',
      failures: [{ code: 'unsealed' }],
    });
    expect(service.output).toContain('log_rolled_back');
  });

  it('everything is signed again under another origin', async () => {
    await service.restart('SIGTERM', { env: { ANNALS_ORIGIN: 'example.com/restored' } });
    const [{ session }] = (await runs(1)) as [Ended];
    const file = await exported(session);
    expect(verdictOf(file, { policy: await policy() })).toMatchObject({
      level: 'signed',
      origin: 'example.com/restored',
    });
    await until(async () => (await client.get('/metrics')).text.includes('annals_sealing_stopped 0'));
  });
});
