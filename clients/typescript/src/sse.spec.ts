import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { SseParser } from './sse.js';

const read = (...pieces: readonly string[]) => {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe('SseParser', () => {
  it('reads ids and data, and no comments', () => {
    expect(read(':\n\nid: 3\ndata: {"a":1}\n\n:\n\nid:4\ndata:x\n\n')).toEqual([
      { id: '3', data: '{"a":1}' },
      { id: '4', data: 'x' },
    ]);
  });

  it('reads the same however the text is cut, and whatever ends its lines', () => {
    const records = fc.array(fc.record({ id: fc.nat().map(String), data: fc.string({ unit: 'binary' }) }));
    fc.assert(
      fc.property(records, fc.constantFrom('\n', '\r\n', '\r'), fc.nat(), (wanted, end, seed) => {
        const clean = wanted.map(({ id, data }) => ({ id, data: data.replaceAll(/[\r\n]/g, ' ') }));
        const text = clean.map(({ id, data }) => `id: ${id}${end}data: ${data}${end}${end}`).join('');
        const at = seed % (text.length + 1);
        // A lone CR at the very end may still become CRLF: the next byte decides.
        expect(read(text.slice(0, at), text.slice(at), ':\n')).toEqual(clean);
      }),
    );
  });

  it('looks at each piece once, however long a line is', () => {
    const split = jest.spyOn(String.prototype, 'split');
    try {
      const pieces = Array.from({ length: 200 }, () => 'x'.repeat(100));
      expect(read('data: ', ...pieces, '\n\n')).toEqual([{ id: '', data: pieces.join('') }]);
      const looked = split.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
      expect(looked).toBeLessThan(2 * pieces.join('').length);
    } finally {
      split.mockRestore();
    }
  });

  it('keeps what is not complete, and tells nothing of a record that was cut', () => {
    expect(read('id: 1\ndata: whole\n\nid: 2\ndata: cut\n')).toEqual([{ id: '1', data: 'whole' }]);
  });

  it('notes how long the service wants to be left alone', () => {
    const parser = new SseParser();
    expect(parser.push('retry: 1000\n\nretry: soon\n\n')).toEqual([]);
    expect(parser.retryMs).toBe(1000);
  });
});
