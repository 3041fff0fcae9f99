import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Search, filesWith } from './search-bytes.js';

const SECRET = 'pä"ss\\w+rd/9f3e';
const escaped = JSON.stringify(SECRET);

describe('a search for a secret', () => {
  it.each<[string, Buffer | string]>([
    ['plain', `x${SECRET}y`],
    ['JSON', `{"a":${escaped}}`],
    ['ASCII JSON', '"p\\u00e4\\"ss\\\\w+rd/9f3e"'],
    ['JSON in JSON', JSON.stringify(`{"a":${escaped}}`)],
    ['URL', `https://example.org/?a=${encodeURIComponent(SECRET)}`],
    ['URL', `postgres://me:${encodeURIComponent(SECRET)}@host/db`],
    ['hex', `\\x${Buffer.from(`ab${SECRET}`).toString('hex')}`],
    ['HEX', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['UTF-16', Buffer.from(SECRET, 'utf16le')],
    ['base64', Buffer.from(SECRET).toString('base64')],
    ['base64', Buffer.from(`me:${SECRET}`).toString('base64')],
    ['base64', Buffer.from(`user:${SECRET} and more`).toString('base64')],
    ['base64', Buffer.from(`u:${SECRET}!`).toString('base64url').replaceAll('-', '+').replaceAll('_', '/')],
  ])('finds it as %s', (how, bytes) => {
    expect(new Search(['another', SECRET]).in(bytes)).toEqual([{ word: SECRET, how }]);
  });

  it('finds it as base64url, whose letters are others', () => {
    const word = '\u00ff\u00fe>>>???~~~secret';
    expect(new Search([word]).in(Buffer.from(`a${word}z`).toString('base64url'))).toEqual([
      { word, how: 'base64url' },
    ]);
  });

  it('finds nothing where a part of it is changed', () => {
    expect(new Search([SECRET]).in(`x${SECRET.slice(0, -1)}y`)).toEqual([]);
  });

  it('looks into every file below a folder, and at its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'annals-search-'));
    try {
      mkdirSync(join(folder, 'a', 'the-token-1'), { recursive: true });
      writeFileSync(join(folder, 'a', 'b.bin'), Buffer.concat([Buffer.alloc(100), Buffer.from(SECRET)]));
      writeFileSync(join(folder, 'c'), 'nothing');
      expect((await filesWith(folder, [SECRET, 'the-token-1'])).toSorted()).toEqual([
        `a/b.bin (plain): ${SECRET}`,
        'the name a/the-token-1 (plain): the-token-1',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
