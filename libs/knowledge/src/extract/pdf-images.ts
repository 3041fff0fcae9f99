import { type getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { MAX_PIXELS } from './ocr.js';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

interface PdfImage {
  readonly width: number;
  readonly height: number;
  /** As pdf.js names it: 1 one bit a pixel, 2 RGB, 3 RGBA. */
  readonly kind: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Smaller ones are logos and lines. */
const LEAST_SIDE = 100;
/** A scan is an image a page; some programs cut it into strips. */
const MAX_IMAGES = 20;

/** The images of a page as files that an image library reads (Netpbm), in the order in which they are painted. */
export async function* imagesOf(page: Page): AsyncGenerator<Uint8Array> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  let count = 0;
  for (const [index, operation] of fnArray.entries()) {
    if (operation !== OPS.paintImageXObject || count >= MAX_IMAGES) continue;
    const [name] = argsArray[index] as [string];
    const image = await objectOf(page, name);
    if (image === null || Math.min(image.width, image.height) < LEAST_SIDE) continue;
    if (image.width * image.height > MAX_PIXELS) continue;
    count += 1;
    yield netpbm(image);
  }
}

function objectOf(page: Page, name: string): Promise<PdfImage | null> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    objects.get(name, (image: PdfImage | null) => resolve(image?.data ? image : null));
  });
}

function netpbm({ width, height, kind, data }: PdfImage): Uint8Array {
  const header = (magic: string, depth = '') => Buffer.from(`${magic}\n${width} ${height}\n${depth}`);
  // In Netpbm a set bit is black, in PDF it is white.
  if (kind === 1) return Buffer.concat([header('P4'), Buffer.from(data).map((byte) => ~byte)]);
  if (kind === 2) return Buffer.concat([header('P6', '255\n'), Buffer.from(data)]);
  const grey = Buffer.alloc(width * height);
  for (let i = 0; i < grey.length; i++)
    grey[i] = Math.round(0.3 * data[i * 4]! + 0.59 * data[i * 4 + 1]! + 0.11 * data[i * 4 + 2]!);
  return Buffer.concat([header('P5', '255\n'), grey]);
}
