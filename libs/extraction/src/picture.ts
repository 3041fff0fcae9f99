import { createCanvas, loadImage } from '@napi-rs/canvas';
import { type ImageKind, imageSizeOf } from './image-size.js';
import { MAX_PIXELS, paragraphsOf, recognise } from './ocr.js';
import { type Orientation, orientationOf } from './orientation.js';
import { unprocessable } from './unreadable-file.js';

/** A turned picture is drawn anew, with no more pixels than A4 has at 350 dots an inch. */
const MAX_DRAWN_PIXELS = 12_000_000;

/** The paragraphs of a picture, the way up that it is shown. @throws UnreadableFile */
export async function readPicture(kind: ImageKind, bytes: Uint8Array): Promise<string[]> {
  const size = imageSizeOf(kind, bytes);
  if (size === null) throw unprocessable('the image is damaged');
  if (size.width * size.height > MAX_PIXELS)
    throw unprocessable(
      `the image has ${size.width} x ${size.height} pixels; at most 40 million can be read`,
    );
  const orientation = orientationOf(kind, bytes);
  return paragraphsOf(await recognise(orientation.value === 1 ? bytes : await upright(orientation)));
}

/** The picture as it is shown, as grey pixels (Netpbm). @throws UnreadableFile */
export async function upright({ value, plain }: Orientation): Promise<Uint8Array> {
  try {
    const image = await loadImage(plain());
    const isOnItsSide = value >= 5;
    const scale = Math.min(1, Math.sqrt(MAX_DRAWN_PIXELS / (image.width * image.height)));
    const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
    const canvas = createCanvas(isOnItsSide ? height : width, isOnItsSide ? width : height);
    const context = canvas.getContext('2d');
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(...turned(value, width, height));
    context.drawImage(image, 0, 0, width, height);
    return grey(context.getImageData(0, 0, canvas.width, canvas.height));
  } catch {
    throw unprocessable('the image is damaged');
  }
}

type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];

/** From where a pixel is stored to where it is shown. */
function turned(orientation: number, w: number, h: number): Matrix {
  const matrices: Readonly<Record<number, Matrix>> = {
    2: [-1, 0, 0, 1, w, 0],
    3: [-1, 0, 0, -1, w, h],
    4: [1, 0, 0, -1, 0, h],
    5: [0, 1, 1, 0, 0, 0],
    6: [0, 1, -1, 0, h, 0],
    7: [0, -1, -1, 0, h, w],
    8: [0, -1, 1, 0, 0, w],
  };
  return matrices[orientation] ?? [1, 0, 0, 1, 0, 0];
}

/** Pixels of four bytes as a file that the recogniser reads (Netpbm). */
export function grey({ width, height, data }: Pixels): Uint8Array {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const file = Buffer.alloc(header.length + width * height);
  header.copy(file);
  for (let at = header.length, from = 0; at < file.length; at++, from += 4)
    file[at] = 0.299 * data[from]! + 0.587 * data[from + 1]! + 0.114 * data[from + 2]!;
  return file;
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each. */
  readonly data: Uint8ClampedArray;
}
