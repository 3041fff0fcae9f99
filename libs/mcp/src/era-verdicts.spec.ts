import { expect, test } from '@jest/globals';
import { EraVerdicts } from './era-verdicts.js';

const modern = { era: 'modern', mayChangeTools: false } as const;
const legacy = { era: 'legacy', version: '2025-11-25' } as const;

test('a verdict about an earlier revision holds for ten minutes, one about today’s for ever', () => {
  const verdicts = new EraVerdicts();
  verdicts.set('http://a/', legacy, 1_000);
  verdicts.set('http://b/', modern, 1_000);
  expect(verdicts.get('http://a/', 600_999)).toEqual(legacy);
  expect(verdicts.get('http://a/', 601_000)).toBeUndefined();
  expect(verdicts.get('http://b/', 1e15)).toEqual(modern);
  verdicts.forget('http://b/');
  expect(verdicts.get('http://b/', 1_000)).toBeUndefined();
});

test('a thousand verdicts are kept; the oldest goes first', () => {
  const verdicts = new EraVerdicts();
  for (let n = 0; n < 1_000; n++) verdicts.set(`http://${n}/`, modern, 0);
  verdicts.set('http://0/', legacy, 0);
  verdicts.set('http://1000/', modern, 0);
  expect(verdicts.get('http://1/', 0)).toBeUndefined();
  expect([0, 2, 1_000].map((n) => verdicts.get(`http://${n}/`, 0))).toEqual([legacy, modern, modern]);
});
