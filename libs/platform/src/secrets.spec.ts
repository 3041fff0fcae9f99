import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { adoptNextMasterKey, nextMasterKey, openMasterKey } from './key-files.js';
import { scrub } from './scrub.js';
import { SealBroken, SecretBox, derivedWebhookSecret } from './secret-box.js';
import { SettingsRefused } from './settings.js';

describe('the secret box', () => {
  const box = new SecretBox(Buffer.alloc(32, 1));

  test('opens what it sealed, for the same context only', () => {
    const sealed = box.seal('geheim ☃', 'a');
    expect(box.open(sealed, 'a')).toBe('geheim ☃');
    expect(sealed).not.toBe(box.seal('geheim ☃', 'a'));
    expect(() => box.open(sealed, 'b')).toThrow(SealBroken);
    expect(new SecretBox(Buffer.alloc(32, 1)).open(sealed, 'a')).toBe('geheim ☃');
  });

  test('refuses what was changed, cut or sealed with another key', () => {
    const sealed = box.seal('x', 'a');
    const at = sealed.length - 4;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    for (const wrong of [
      changed,
      sealed.slice(0, 30),
      'v2.a.b',
      '',
      new SecretBox(Buffer.alloc(32, 2)).seal('x', 'a'),
    ]) {
      expect(() => box.open(wrong, 'a')).toThrow(SealBroken);
    }
  });

  test('derives the same for the same purpose, for ever', () => {
    // Frozen: other values would lose what was sealed, and change signatures.
    expect(box.keyId).toBe('b52603bddc269a71');
    expect(derivedWebhookSecret(box)).toBe('whsec_G0FJXlSmDlagZntvlVly2fy6agK0L+E78kfSGNlyjNE=');
    expect(box.derive('a')).not.toEqual(box.derive('b'));
  });
});

describe('the master key of a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'annals-keys-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is made once, readable for its owner only', () => {
    const dataDir = join(folder, 'new', 'data');
    const first = openMasterKey(dataDir, null, false);
    const path = join(dataDir, 'master.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(path, 'utf8'), 'base64')).toEqual(first);
    expect(openMasterKey(dataDir, null, true)).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['master.key']);
  });

  test('is not written where it is set', () => {
    expect(openMasterKey(folder, Buffer.alloc(32, 3), false)).toEqual(Buffer.alloc(32, 3));
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is never made anew where something was wrapped with one', () => {
    expect(() => openMasterKey(folder, null, true)).toThrow(SettingsRefused);
    expect(() => openMasterKey(folder, null, true)).toThrow(/^ANNALS_MASTER_KEY must [^\n]+$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('gives way to the next one, which is the same until it has', () => {
    const first = openMasterKey(folder, null, false);
    const next = nextMasterKey(folder);
    expect(nextMasterKey(folder)).toEqual(next);
    expect(openMasterKey(folder, null, true)).toEqual(first);
    adoptNextMasterKey(folder);
    expect(openMasterKey(folder, null, true)).toEqual(next);
    expect(readdirSync(folder)).toEqual(['master.key']);
  });
});

test('texts of others are scrubbed', () => {
  const text =
    'connect postgres://me:hunter2@db/x with Bearer abc.def, key annals_0123456789 and password=hunter2';
  const clean = scrub(text);
  for (const secret of ['hunter2', 'abc.def', '0123456789']) expect(clean).not.toContain(secret);
  expect(clean).toContain('postgres://***@db/x');
});
