import { describe, expect, it } from '@jest/globals';
import { decodeCursor, encodeCursor, pageOf } from './cursor.js';

describe('a cursor', () => {
  const place = { createdAt: 1_763_715_600_000, id: 'run_ses_1_a' };

  it('comes back as it was', () => expect(decodeCursor(encodeCursor(place))).toEqual(place));

  it('is absent on the first page', () => expect(decodeCursor(undefined)).toBeNull());

  it('has the form that clients hold already', () =>
    expect(encodeCursor({ createdAt: 1, id: 'a' })).toBe('WzEsImEiXQ'));

  it.each(['', '{}', '[]', '[1]', '["1","a"]', '[1.5,"a"]', '[1,"\\u0000"]', '[1,"\\ud800"]', 'null'])(
    'is refused when it holds %j',
    (json) => expect(() => decodeCursor(Buffer.from(json).toString('base64url'))).toThrow('cursor'),
  );
});

describe('a page', () => {
  const rows = ['c', 'b', 'a'].map((id) => ({ createdAt: 1, id }));
  const page = (limit: number) =>
    pageOf(
      rows,
      limit,
      (row) => row.id,
      (row) => row,
    );

  it('names the last of its items when there are more', () =>
    expect(page(2)).toEqual({ items: ['c', 'b'], next_cursor: encodeCursor({ createdAt: 1, id: 'b' }) }));

  it('is the last one when there are no more', () =>
    expect(page(3)).toEqual({ items: ['c', 'b', 'a'], next_cursor: null }));
});
