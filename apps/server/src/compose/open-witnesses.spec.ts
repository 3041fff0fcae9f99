import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SettingsRefused, SystemClock } from '#platform';
import { WITNESS_KEY, formatKey, noteKey, parsePolicy } from '#proof';
import { POLICY } from '../../../../test/support/proof/example.js';
import { openWitnesses } from './open-witnesses.js';

/** The key of `w` under another name. */
const AGAIN = `witness again ${formatKey(
  noteKey('witness.example/again', WITNESS_KEY, parsePolicy(POLICY).witnesses[0]!.key.publicKey),
)}`;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'annals-witnesses-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const opened = (file: string | null) => openWitnesses(file, 'example.com/annals', new SystemClock());

function written(policy: string): string {
  const file = join(folder, 'policy');
  writeFileSync(file, policy);
  return file;
}

test('without a file, or without a URL in it, nobody is asked', async () => {
  expect((await opened(null)).witnesses.isEmpty).toBe(true);
  expect((await opened(written(POLICY))).witnesses.isEmpty).toBe(true);
  const withUrl = POLICY.replace(/^(witness w .*)$/m, '$1 https://witness.example');
  expect((await opened(written(withUrl))).witnesses.isEmpty).toBe(false);
});

test.each([
  ['is a folder', () => folder],
  ['is not there', () => join(folder, 'none')],
  ['is no policy', () => written('hello\n')],
  ['names one key twice', () => written(POLICY.replace(/^(witness w .*)$/m, `$1\n${AGAIN}`))],
  ['has no quorum', () => written('# nothing\n')],
  ['is far too long', () => written(`${'#'.repeat(1024 * 1024)}\n${POLICY}`)],
  ['names what is no URL', () => written(POLICY.replace(/^(witness w .*)$/m, '$1 ftp://witness.example'))],
])('a file that %s is refused with one line that names the variable', async (_, file) => {
  const refused = await opened(file()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SettingsRefused);
  expect((refused as Error).message).toMatch(/^WITNESSES must be the path of a tlog-policy file: [^\n]+$/);
});
