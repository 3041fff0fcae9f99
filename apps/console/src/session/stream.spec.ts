import { describe, expect, test } from '@jest/globals';
import { MessageReader, placeOf, reconnectWaitMs } from './stream.js';

const read = (...pieces: string[]) => {
  const reader = new MessageReader();
  return pieces.flatMap((piece) => reader.push(piece));
};

describe('server-sent events', () => {
  test('are read the same wherever the body is cut', () => {
    const body = ': hello\r\nid: 1\r\ndata: {"a":1}\r\n\r\nid: 2\ndata: x\ndata: y\n\n:\n\nid: 3\ndata:z\r\r';
    const whole = read(body);
    expect(whole).toEqual([
      { id: '1', event: 'message', data: '{"a":1}' },
      { id: '2', event: 'message', data: 'x\ny' },
      { id: '3', event: 'message', data: 'z' },
    ]);
    expect(read(...body.split(''))).toEqual(whole);
    for (let at = 1; at < body.length; at++) expect(read(body.slice(0, at), body.slice(at))).toEqual(whole);
  });

  test('that are not complete are not told', () => {
    expect(read('id: 1\ndata: x')).toEqual([]);
    expect(read('event: end\ndata: x\n', '\n')).toEqual([{ id: null, event: 'end', data: 'x' }]);
  });
});

describe('a record of a log', () => {
  test('takes the next event, and knows doubles and gaps', () => {
    expect([5, 6, 7, 9].map((id) => placeOf(id, 6))).toEqual(['double', 'double', 'next', 'gap']);
    expect(placeOf(0, -1)).toBe('next');
  });

  test('waits longer from try to try, and never all pages at once', () => {
    expect([0, 1, 2, 3, 4, 50].map((n) => reconnectWaitMs(n, 0.5))).toEqual([
      500, 1000, 2000, 5000, 5000, 5000,
    ]);
    expect(reconnectWaitMs(0, 0)).toBe(400);
    expect(reconnectWaitMs(3, 0.999)).toBeLessThanOrEqual(6000);
  });
});
