import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  Directory,
  TreeEdge,
  directoryEntry,
  eventEntry,
  fromHex,
  leafHash,
  linkOf,
  tagOf,
  toBase64,
  toHex,
} from '#proof';
import { freePort } from '../support/free-port.js';
import { commandsOf, likeCheckout, shell, withPorts } from '../support/docs-shell.js';
import { EXPORT, POLICY, PROOF, underOlderDirectory } from '../support/proof/example.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';
import { shortOf, verifyText } from '../support/proof/verify-text.js';

const PAGE = readFileSync('docs/proof.md', 'utf8');

describe('docs/proof.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-docs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

  test('has commands that do what it says', async () => {
    likeCheckout(folder);
    const [witness, service] = [await freePort(), await ServiceProcess.start()];
    const ports = { 3000: service.port, 4200: witness };
    const commands = commandsOf('docs/proof.md').map((block) =>
      withPorts(block, ports).replaceAll('/tmp/', `${folder}/`),
    );
    const env = { ANNALS_KEY: ADMIN_KEY, DATA_DIR: service.dataDir };
    let out = '';
    try {
      out = await shell(folder, commands, env);
    } finally {
      await service.dispose();
    }
    expect(out.match(/^verified: complete$/gm)).toHaveLength(3);
    expect(out.match(/"level":"complete"/g)).toHaveLength(1);
    expect(out).toMatch(/^failed: commitment at revision 3: .*$/m);
    expect(out).toMatch(/^ended with 1$/m);
    expect(out).toMatch(/^receipts +1 say the same$/m);
    expect(out).toMatch(/^witness witness\.example\/mine witness\.example\/mine\+/m);
    expect(out.match(/^\u2014 witness\.example\/mine /gm)).toHaveLength(2);
    expect(out).toMatch(/^witness audit\.example\/monitor audit\.example\/monitor\+/m);
    expect(out.match(/^verified: signed$/gm)).toHaveLength(1);
    expect(out).toMatch(/^key 2 signs from the next seal on, .*$/m);
    expect(out).toMatch(/^refused with 1: no seal bears both yet$/m);
  });

  test('has leaves that lead to the checkpoint and the directories of its files', () => {
    const rows = PAGE.matchAll(
      /^\| (\d+) +\| `([^`]+)` (\d+) +\| `([0-9a-f]{64})` \| `([0-9a-f]{64})` \|$/gm,
    );
    const [tree, directory, links] = [new TreeEdge(), new Directory(), new Map<string, Uint8Array>()];
    const directories: string[] = [];
    const seal = (): void => {
      directories.push(toHex(directory.root));
      tree.push(leafHash(directoryEntry(directory.root)));
    };
    for (const [, leaf, stream = '', revision, hash = '', link] of rows) {
      if (tree.size < Number(leaf)) seal();
      const tag = tagOf(stream);
      const next = linkOf(links.get(stream) ?? tag, fromHex(hash)!);
      expect([leaf, toHex(next)]).toEqual([String(tree.size), link]);
      links.set(stream, next);
      tree.push(leafHash(eventEntry(tag, Number(revision), fromHex(hash)!)));
      directory.set({ tag, revision: Number(revision), link: next });
    }
    seal();
    expect(tree.size).toBe(11);
    expect(PROOF.proof).toContain(`\n11\n${toBase64(tree.root)}\n`);
    for (const root of directories) expect(PAGE).toContain(root);
    expect(PROOF.directory).toBe(directories[1]);
  });

  test('has files that are what it says', () => {
    expect(shortOf(verifyText(EXPORT, { policy: POLICY }))).toBe('0 complete');
    expect(readFileSync('docs/examples/proof/older-directory.annals.jsonl', 'utf8')).toBe(
      underOlderDirectory(),
    );
  });
});
