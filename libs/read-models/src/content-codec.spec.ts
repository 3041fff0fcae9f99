import { describe, expect, it } from '@jest/globals';
import { MemoryContentKeys } from '#event-log';
import { PlainContentCodec, SealedContentCodec } from './content-codec.js';

const TEXTS = ['', 'plain', 'ä\u2028', '👩‍👩‍👧', '\u0000', '\ud83d', 'lone \udc00 in the middle', '\ufeffmark'];

describe('PlainContentCodec', () => {
  const codec = new PlainContentCodec();

  it.each(TEXTS)('gives back %j', (text) => expect(codec.open('s', codec.seal('s', text))).toBe(text));

  it('keeps text as UTF-8', () => expect(codec.seal('s', 'ä')).toEqual(Buffer.from('ä')));
});

describe('SealedContentCodec', () => {
  const open = async () => {
    const keys = new MemoryContentKeys();
    const codec = new SealedContentCodec(keys);
    const id = await keys.draw();
    return { keys, codec, id, sealer: await codec.sealer(new Map([['s', id]])) };
  };

  it.each(TEXTS)('gives back %j', async (text) => {
    const { codec, sealer } = await open();
    const column = sealer.seal('s', text);
    await codec.ready([column, null]);
    expect(codec.open('s', column)).toBe(text);
    if (text.length > 3) expect(column.includes(Buffer.from(text))).toBe(false);
  });

  it('opens a column in its own session only', async () => {
    const { codec, sealer } = await open();
    const column = sealer.seal('s', 'mine');
    expect(() => codec.open('t', column)).toThrow(/changed, or sealed for another place/);
  });

  it('has nothing of what is erased, and keeps nothing more of it', async () => {
    const { keys, codec, id, sealer } = await open();
    const column = sealer.seal('s', 'mine');
    await keys.destroy(id);
    await codec.ready([column]);
    expect(codec.open('s', column)).toBeNull();
    const late = (await codec.sealer(new Map([['s', id]]))).seal('s', 'mine');
    await codec.ready([late]);
    expect(codec.open('s', late)).toBeNull();
    expect(late).toHaveLength(2);
  });

  it('leaves a session without a key as it is', async () => {
    const { codec, sealer } = await open();
    expect(codec.open('t', sealer.seal('t', 'plain'))).toBe('plain');
  });
});
