import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openSecretBox } from './key-files.js';
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
    const first = openSecretBox(join(folder, 'new', 'data'), null);
    const path = join(folder, 'new', 'data', 'master.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(path, 'utf8'), 'base64')).toHaveLength(32);
    expect(openSecretBox(join(folder, 'new', 'data'), null).keyId).toBe(first.keyId);
    expect(readdirSync(join(folder, 'new', 'data')).sort()).toEqual(['master.check', 'master.key']);
  });

  test('is not written where it is set', () => {
    openSecretBox(folder, Buffer.alloc(32, 3));
    expect(readdirSync(folder)).toEqual(['master.check']);
  });

  test('must be the one that the folder was begun with', () => {
    openSecretBox(folder, Buffer.alloc(32, 3));
    for (const wrong of [Buffer.alloc(32, 4), null]) {
      expect(() => openSecretBox(folder, wrong)).toThrow(SettingsRefused);
      expect(() => openSecretBox(folder, wrong)).toThrow(/^ANNALS_MASTER_KEY must [^\n]+$/);
    }
    expect(() => openSecretBox(folder, Buffer.alloc(32, 3))).not.toThrow();
  });
});

test('texts of others are scrubbed', () => {
  const text =
    'connect postgres://me:hunter2@db/x with Bearer abc.def, key annals_0123456789 and password=hunter2';
  const clean = scrub(text);
  for (const secret of ['hunter2', 'abc.def', '0123456789']) expect(clean).not.toContain(secret);
  expect(clean).toContain('postgres://***@db/x');
});
