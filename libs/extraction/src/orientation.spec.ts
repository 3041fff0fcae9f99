import { crc32 } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from '@jest/globals';
import type { ImageKind } from './image-size.js';
import { orientationOf } from './orientation.js';
import { upright } from './picture.js';

/** A TIFF header with one entry, in either order of bytes. */
function exif(orientation: number, isLittle: boolean): Buffer {
  const view = new DataView(new ArrayBuffer(26));
  view.setUint16(0, isLittle ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, isLittle);
  view.setUint32(4, 8, isLittle);
  view.setUint16(8, 1, isLittle);
  view.setUint16(10, 0x0112, isLittle);
  view.setUint16(12, 3, isLittle);
  view.setUint32(14, 1, isLittle);
  view.setUint16(18, orientation, isLittle);
  return Buffer.from(view.buffer);
}

/** 60 x 20, white, with a black square in its upper left corner. */
const canvas = createCanvas(60, 20);
const context = canvas.getContext('2d');
context.fillStyle = 'white';
context.fillRect(0, 0, 60, 20);
context.fillStyle = 'black';
context.fillRect(0, 0, 10, 10);

type Make = (exif: Buffer) => Buffer;
const length = (bytes: number, value: number, isLittle = false): Buffer => {
  const field = Buffer.alloc(bytes);
  if (isLittle) field.writeUIntLE(value, 0, bytes);
  else field.writeUIntBE(value, 0, bytes);
  return field;
};

const jpeg: Make = (data) => {
  const file = canvas.toBuffer('image/jpeg');
  const segment = Buffer.concat([Buffer.from('Exif\0\0'), data]);
  const head = Buffer.concat([Buffer.from([0xff, 0xe1]), length(2, segment.length + 2)]);
  return Buffer.concat([file.subarray(0, 2), head, segment, file.subarray(2)]);
};

const png: Make = (data) => {
  const file = canvas.toBuffer('image/png');
  const chunk = Buffer.concat([Buffer.from('eXIf'), data]);
  const end = file.length - 12;
  return Buffer.concat([
    file.subarray(0, end),
    length(4, data.length),
    chunk,
    length(4, crc32(chunk)),
    file.subarray(end),
  ]);
};

const prefixed: Make = (data) => webp(Buffer.concat([Buffer.from('Exif\0\0'), data]));
const webp: Make = (data) => {
  const file = canvas.toBuffer('image/webp');
  const chunks = file.subarray(12);
  const isExtended = chunks.subarray(0, 4).toString() === 'VP8X';
  const head = isExtended
    ? Buffer.from(chunks.subarray(0, 18))
    : Buffer.concat([
        Buffer.from('VP8X'),
        length(4, 10, true),
        Buffer.alloc(4),
        length(3, 59, true),
        length(3, 19, true),
      ]);
  head[8]! |= 0x08;
  const rest = isExtended ? chunks.subarray(18) : chunks;
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    head,
    rest,
    Buffer.from('EXIF'),
    length(4, data.length, true),
    data,
  ]);
  return Buffer.concat([Buffer.from('RIFF'), length(4, body.length, true), body]);
};

/** Where the square is to be seen, and whether the picture stands. */
const SHOWN: readonly (readonly [number, string, boolean])[] = [
  [1, 'upper left', false],
  [2, 'upper right', false],
  [3, 'lower right', false],
  [4, 'lower left', false],
  [5, 'upper left', true],
  [6, 'upper right', true],
  [7, 'lower right', true],
  [8, 'lower left', true],
];

/** Of a file of grey pixels (Netpbm). */
function squareIn(file: Uint8Array): { readonly corner: string; readonly stands: boolean } {
  const [, size = ''] = Buffer.from(file).toString('latin1').split('\n');
  const [width = 0, height = 0] = size.split(' ').map(Number);
  const pixels = file.subarray(file.length - width * height);
  const isDark = (x: number, y: number) => pixels[y * width + x]! < 100;
  const [right, low] = [width - 4, height - 4];
  const corners = [
    ['upper left', isDark(4, 4)],
    ['upper right', isDark(right, 4)],
    ['lower left', isDark(4, low)],
    ['lower right', isDark(right, low)],
  ] as const;
  const dark = corners.filter(([, is]) => is).map(([corner]) => corner);
  return { corner: dark.join(' and '), stands: height > width };
}

describe.each<[string, ImageKind, Make]>([
  ['JPEG', 'jpeg', jpeg],
  ['PNG', 'png', png],
  ['WebP', 'webp', webp],
  ["WebP with a JPEG's beginning", 'webp', prefixed],
])('%s', (_, kind, make) => {
  test.each(SHOWN)('orientation %i', async (orientation, corner, stands) => {
    for (const isLittle of [true, false]) {
      const file = make(exif(orientation, isLittle));
      const found = orientationOf(kind, file);
      expect(found.value).toBe(orientation);
      expect(squareIn(await upright(found))).toEqual({ corner, stands });
    }
  });

  test('says nothing where it is broken, cut off, or not there', () => {
    const file = make(exif(6, true));
    const bad = [make(Buffer.from('II')), make(exif(9, true)), make(exif(0, false)), make(Buffer.alloc(0))];
    for (const one of bad) expect(orientationOf(kind, one).value).toBe(1);
    for (let cut = 0; cut < file.length; cut++)
      expect([1, 6]).toContain(orientationOf(kind, file.subarray(0, cut)).value);
  });
});

test('a list of entries that goes on beyond the file ends', () => {
  const endless = exif(6, false);
  endless.writeUInt16BE(0xffff, 8);
  endless.writeUInt16BE(0x0100, 10);
  expect(orientationOf('png', png(endless)).value).toBe(1);
});
