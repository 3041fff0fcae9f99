import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DocumentReader } from '../support/document-reader.js';

const reader = new DocumentReader();
afterAll(() => reader.close());

const strange = (name: string): Buffer => readFileSync(join('test/fixtures/strangers', name));

/** Files as users of such services have reported them, with what a person reads in them. */
test.each<[string, readonly RegExp[]]>([
  [
    '20-one-broken-byte.txt',
    [/^-: Protokoll vom 3\. März\n/, /Größe der Öfen/, /Anchorword: � geprüft für Köln/],
  ],
  ['21-windows-1251.html', [/Anchorword Договор/]],
])('%s', async (name, right) => {
  const { text, extraction } = await reader.read(strange(name));
  expect(extraction.kind).toBe('extracted');
  for (const one of right) expect(text).toMatch(one);
});
