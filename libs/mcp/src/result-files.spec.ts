import { describe, expect, it } from '@jest/globals';
import { mediaTypeOf } from './media-type.js';
import { ResultFiles, fileIdOf } from './result-files.js';
import { SecretMask } from './secret-mask.js';

const mask = new SecretMask({
  serverName: 's',
  serverUrl: 'http://127.0.0.1/mcp',
  auth: { type: 'bearer', token: 'sesame-42' },
});
const filesOf = (): ResultFiles => new ResultFiles('ses_1', mask);
const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

describe('files of a result', () => {
  it('are told with their type by their bytes, their size and their id', () => {
    const files = filesOf();
    const id = fileIdOf('ses_1', png);
    expect(id).toMatch(/^file_[0-9a-f]{24}$/);
    expect(files.take('image', { data: base64(png), mimeType: 'image/jpeg' })).toBe(
      `, image/png, 12 bytes, ${id}`,
    );
    expect(files.files).toEqual([{ id, bytes: png, mediaType: 'image/png' }]);
  });

  it('have the type that is said where the bytes do not tell, if it is one', () => {
    const files = filesOf();
    for (const [n, mimeType] of ['Text/CSV', 'what\nelse', undefined].entries())
      files.take('image', { data: base64(Buffer.from(`abc${n}`)), mimeType });
    expect(files.files.map(({ mediaType }) => mediaType)).toEqual([
      'text/csv',
      'application/octet-stream',
      'application/octet-stream',
    ]);
  });

  it('are named by the end of their address, without secrets', () => {
    const files = filesOf();
    files.take('image', { data: 'AAAA', mimeType: '', uri: 'file:///a/b%20sesame-42.bin?x=1' });
    expect(files.files[0]?.name).toBe('b ***.bin');
  });

  it('show no part of a secret that their address or their type would be parted in', () => {
    const slashed = new SecretMask({
      serverName: 's',
      serverUrl: 'http://127.0.0.1/mcp',
      auth: { type: 'bearer', token: 'sesame/open?now' },
    });
    const files = new ResultFiles('ses_1', slashed);
    files.take('image', { data: 'AAAA', mimeType: '', uri: 'file:///a/sesame/open?now' });
    files.take('image', { data: 'AAAB', mimeType: '', uri: `file:///sesame/open?now${'x'.repeat(800)}` });
    files.take('image', { data: 'AAAC', mimeType: `${'x'.repeat(45)}/${'x'.repeat(48)}sesame/open?now` });
    expect(files.files.map(({ name = '' }) => name)).toEqual(['***', `***${'x'.repeat(197)}`, '']);
    expect(files.files[2]?.mediaType).toBe(`${'x'.repeat(45)}/${'x'.repeat(48)}`);
  });

  it('have ids of their session, the same for the same content', () => {
    expect(fileIdOf('ses_1', png)).not.toBe(fileIdOf('ses_2', png));
    const files = filesOf();
    const told = [1, 2].map(() => files.take('image', { data: base64(png), mimeType: 'image/png' }));
    expect(told[0]).toBe(told[1]);
    expect(files.files).toHaveLength(1);
  });

  it.each(['', 'no base64!', 'AA==AAAA', 7, undefined])('are not kept where they are %p', (data) => {
    const files = filesOf();
    expect(files.take('image', { data, mimeType: 'image/png' })).toMatch(
      /^, image\/png, \d+ bytes, not kept$/,
    );
    expect(files.files).toEqual([]);
  });

  it('are not kept beyond 25 of a result, nor beyond 8 MB each', () => {
    const files = filesOf();
    const large = base64(Buffer.alloc(8 * 1024 * 1024 + 1));
    expect(files.take('image', { data: large, mimeType: 'image/png' })).toBe(
      ', image/png, 8388609 bytes, not kept',
    );
    const told = Array.from({ length: 26 }, (_, n) =>
      files.take('image', { data: base64(Buffer.from(`file ${n}`)), mimeType: 'text/plain' }),
    );
    expect(told.filter((line) => line.endsWith('not kept'))).toHaveLength(1);
    expect(files.files).toHaveLength(25);
  });
});

it.each([
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\0\0\0\0WEBPVP8 '],
  ['audio/wav', 'RIFF\0\0\0\0WAVEfmt '],
  ['audio/mpeg', 'ID3\x04'],
  ['audio/mpeg', '\xff\xfb\x90'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['application/pdf', '%PDF-1.7'],
  [null, 'RIFF'],
  [null, ''],
])('%s is known by its first bytes', (type, text) => {
  expect(mediaTypeOf(Buffer.from(text, 'latin1'))).toBe(type);
});
