import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { framed, FrameReader } from './frames.js';

describe('messages with their prefixes', () => {
  test('come out whole, in order, in whatever pieces they come', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(messages, cuts, (given, sizes) => {
        const wire = Buffer.concat(given.map(framed));
        const reader = new FrameReader();
        const read: Buffer[] = [];
        for (let at = 0, n = 0; at < wire.length; n++) {
          const end = at + sizes[n % sizes.length]!;
          read.push(...reader.take(Buffer.from(wire.subarray(at, end))));
          at = end;
        }
        expect(read.map((message) => [...message])).toEqual(given.map((message) => [...message]));
      }),
    );
  });

  test('are refused when they are compressed, or larger than any event', () => {
    expect(() => new FrameReader().take(Buffer.from([1, 0, 0, 0, 0]))).toThrow(/compresses/);
    expect(() => new FrameReader().take(Buffer.from([0, 2, 0, 0, 0]))).toThrow(/33554432 bytes/);
  });
});
