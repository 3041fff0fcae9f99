import { crc32, deflateSync } from 'node:zlib';

/** Of PNG: how many channels a pixel of a colour type has. */
const CHANNELS = { grey: [0, 1], rgb: [2, 3], rgba: [6, 4] } as const;

export interface PngTerms {
  readonly width: number;
  readonly height: number;
  readonly colours?: keyof typeof CHANNELS;
  /** Rows that there are; absent: as many as it says. */
  readonly rows?: number;
}

/** A picture of one colour, which takes hardly any place: 40 million pixels are some 100 KB. */
export function pngOf({ width, height, colours = 'rgb', rows = height }: PngTerms): Buffer {
  const [type, channels] = CHANNELS[colours];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  [header[8], header[9]] = [8, type];
  const pixels = deflateSync(Buffer.alloc((width * channels + 1) * rows));
  const mark = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([mark, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const [head, sum] = [Buffer.alloc(8), Buffer.alloc(4)];
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  sum.writeUInt32BE(crc32(data, crc32(type)));
  return Buffer.concat([head, data, sum]);
}
