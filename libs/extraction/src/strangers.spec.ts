import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DocumentReader } from '../../../test/support/document-reader.js';

const reader = new DocumentReader();
afterAll(() => reader.close());

const strange = (name: string): Buffer => readFileSync(join('test/fixtures/strangers', name));

/** Files as users of such services have reported them, with what a person reads in them. */
test.each<[string, readonly RegExp[]]>([
  ['13-chinese-letters.pdf', [/^1: Anchorword seven\s*发票金额$/]],
  ['14-filled-form.pdf', [/membership/, /surname: Marigoldson/, /town: Quillbridge/]],
  ['15-stamped-scan.pdf', [/PROTECTIVE ORDER/, /WOMBAT invoice 4712/]],
  ['16-photo-on-its-side.jpg', [/QUOKKA invoice 4711/]],
  ['17-dates.xlsx', [/Order: Alpha-77 \| Due: 2027-03-14 \| Shipped: 2027-03-20 13:30/]],
  ['18-other-prefix.xlsx', [/Tool: Awl-31 \| Place: Shed/]],
  ['19-diagram.pptx', [/Our process\nTurnstone step/]],
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
