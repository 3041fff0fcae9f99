import { describe, expect, test } from '@jest/globals';
import { visible } from './visible.js';

describe('what an eye would not see', () => {
  test('is spelled out: what turns the direction round, and what takes no room', () => {
    expect(visible('refund\u202e exe.cod')).toBe('refundU+202E exe.cod');
    expect(visible('pay\u200bpal \ufeff\u2066x\u2069')).toBe('payU+200Bpal U+FEFFU+2066xU+2069');
    expect(visible('\u{e0041}hidden')).toBe('U+E0041hidden');
    expect(visible('bell\u0007 \u001b[31m')).toBe('bellU+0007 U+001B[31m');
  });

  test('leaves text, lines and tabs as they are', () => {
    const text = 'Grüße\n\taus 東京, שלום, مرحبا';
    expect(visible(text)).toBe(text);
  });

  test('leaves a joiner where writing needs it, and nowhere else', () => {
    expect(visible('👩\u200d👩\u200d👧')).toBe('👩\u200d👩\u200d👧');
    expect(visible('می\u200cخواهم')).toBe('می\u200cخواهم');
    expect(visible('क्\u200dष')).toBe('क्\u200dष');
    expect(visible('a\u200db')).toBe('aU+200Db');
    expect(visible('👩\u200dx')).toBe('👩U+200Dx');
  });
});
