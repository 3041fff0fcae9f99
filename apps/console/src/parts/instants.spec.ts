import { expect, test } from '@jest/globals';
import { instantOf, typedOf } from './instants.js';

const NOW = Date.UTC(2026, 10, 26, 14, 8, 19);
const iso = (text: string): string | null => {
  const at = instantOf(text, NOW, true);
  return at === null ? null : new Date(at).toISOString();
};

test.each([
  ['2026-11-26', '2026-11-26T00:00:00.000Z'],
  ['2026-11-26 14:08', '2026-11-26T14:08:00.000Z'],
  ['2026-11-26T14:08:19', '2026-11-26T14:08:19.000Z'],
  ['2026-11-26T14:08:19.207+02:00', '2026-11-26T12:08:19.207Z'],
  ['2026-11-26 14:08 UTC', '2026-11-26T14:08:00.000Z'],
  ['24 h ago', '2026-11-25T14:08:19.000Z'],
  ['30min', '2026-11-26T13:38:19.000Z'],
  ['-7d', '2026-11-19T14:08:19.000Z'],
  ['2026-13-26', null],
  ['yesterday', null],
  ['', null],
])('"%s" is %s', (text, at) => expect(iso(text)).toBe(at));

test.each(['2026-11-26', '2026-11-26 14:08', '2026-11-26 14:08:19'])(
  '%s is shown as it was typed',
  (text) => {
    for (const utc of [true, false]) expect(typedOf(instantOf(text, NOW, utc) ?? 0, utc)).toBe(text);
  },
);
