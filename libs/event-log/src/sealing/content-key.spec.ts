import { expect, test } from '@jest/globals';
import { ContentKey, KEY_BYTES } from './content-key.js';

test('a key that is known for long keeps its own bytes in memory, and nothing of the pool that they came from', () => {
  const given = Buffer.from('0'.repeat(KEY_BYTES), 'latin1');
  expect(given.buffer.byteLength).toBeGreaterThan(KEY_BYTES);
  const key = new ContentKey('key', given);
  expect(key.bytes).toEqual(given);
  expect(key.bytes.buffer.byteLength).toBe(KEY_BYTES);
});
