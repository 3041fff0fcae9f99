import { getDocumentProxy } from 'unpdf';
import type { Block } from '../passage.js';
import { MAX_PIXELS, paragraphsOf, recognise } from './ocr.js';
import { imagesOf } from './pdf-images.js';
import { linesOf } from './pdf-lines.js';
import { unprocessable } from './unreadable-file.js';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

export const MAX_PAGES = 5_000;
/** A page with fewer letters is a scan, if it has an image. */
const FEW_LETTERS = 20;

/** The text of a PDF, page by page; of pages that are images, what can be recognised. @throws UnreadableFile */
export async function* readPdf(bytes: Uint8Array): AsyncGenerator<Block> {
  const pdf = await open(bytes);
  try {
    if (pdf.numPages > MAX_PAGES)
      throw unprocessable(`the PDF has ${pdf.numPages} pages; at most ${MAX_PAGES} can be read`);
    for (let page = 1; page <= pdf.numPages; page++) yield* readPage(pdf, page);
  } finally {
    await pdf.destroy();
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, {
      maxImageSize: MAX_PIXELS,
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
    });
  } catch (error) {
    const { name } = error as { name?: unknown };
    throw unprocessable(
      name === 'PasswordException' ? 'the PDF is encrypted and needs a password' : 'the PDF is damaged',
    );
  }
}

async function* readPage(pdf: Pdf, number: number): AsyncGenerator<Block> {
  const page = await pdf.getPage(number);
  try {
    const { items } = await page.getTextContent();
    const lines = linesOf(items);
    for (const text of lines) yield { text, page: number };
    if (lines.join('').replace(/[^\p{L}\p{N}]/gu, '').length >= FEW_LETTERS) return;
    for await (const image of imagesOf(page))
      for (const text of paragraphsOf(await recognise(image))) yield { text, page: number };
  } finally {
    page.cleanup();
  }
}
