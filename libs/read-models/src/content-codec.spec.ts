import { describe, expect, it } from '@jest/globals';
import { PlainContentCodec } from './content-codec.js';

describe('PlainContentCodec', () => {
  const codec = new PlainContentCodec();

  it.each(['', 'plain', 'ä\u2028', '👩‍👩‍👧', '\u0000', '\ud83d', 'lone \udc00 in the middle', '\ufeffmark'])(
    'gives back %j',
    (text) => expect(codec.open('s', codec.seal('s', text))).toBe(text),
  );

  it('keeps text as UTF-8', () => expect(codec.seal('s', 'ä')).toEqual(Buffer.from('ä')));
});
