import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type PDFDocumentProxy,
  type PDFPageProxy,
  VerbosityLevel,
  getDocument,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Block } from './passage.js';
import { MAX_PIXELS } from './ocr.js';
import { FormFields, annotationBlocks } from './pdf-annotations.js';
import { PdfComplaints } from './pdf-complaints.js';
import { linesOf } from './pdf-lines.js';
import { pictureLines } from './pdf-pictures.js';
import { unprocessable } from './unreadable-file.js';
import type { Warn } from './warnings.js';

export const MAX_PAGES = 5_000;
const require = createRequire(import.meta.url);

/**
 * The text of a PDF, page by page: what is written, then what stands in forms and notes, then what can be recognised in
 * pictures. @throws UnreadableFile
 */
export async function* readPdf(bytes: Uint8Array, warn: Warn): AsyncGenerator<Block> {
  const complaints = new PdfComplaints(warn);
  try {
    yield* readPages(bytes, complaints, warn);
  } finally {
    complaints.close();
  }
}

async function* readPages(bytes: Uint8Array, complaints: PdfComplaints, warn: Warn): AsyncGenerator<Block> {
  const pdf = await open(bytes);
  try {
    if (pdf.numPages > MAX_PAGES)
      throw unprocessable(`the PDF has ${pdf.numPages} pages; at most ${MAX_PAGES} can be read`);
    const known = { fields: new FormFields(), pictures: new Set<string>() };
    for (let page = 1; page <= pdf.numPages; page++) {
      complaints.page = page;
      yield* readPage(pdf, page, known, warn);
    }
    yield* known.fields.withoutPlace(await pdf.getFieldObjects().catch(() => null));
    for (const name of await attachedFiles(pdf))
      warn('embedded_file', `the attached file ${name} is not read`);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  const assets = dirname(require.resolve('pdfjs-dist/package.json'));
  const folder = (name: string): string => join(assets, name, '/');
  try {
    return await getDocument({
      data: bytes,
      // What fonts are called that are not in the file, and which letters they have.
      cMapUrl: folder('cmaps'),
      cMapPacked: true,
      standardFontDataUrl: folder('standard_fonts'),
      // JPEG 2000, JBIG2 and colours.
      wasmUrl: folder('wasm'),
      iccUrl: folder('iccs'),
      maxImageSize: MAX_PIXELS,
      // Its warnings are heard.
      verbosity: VerbosityLevel.WARNINGS,
      disableFontFace: true,
      useSystemFonts: false,
      enableXfa: true,
    }).promise;
  } catch (error) {
    const { name } = error as { name?: unknown };
    throw unprocessable(
      name === 'PasswordException' ? 'the PDF is encrypted and needs a password' : 'the PDF is damaged',
    );
  }
}

async function* readPage(
  pdf: PDFDocumentProxy,
  number: number,
  { fields, pictures }: { readonly fields: FormFields; readonly pictures: Set<string> },
  warn: Warn,
): AsyncGenerator<Block> {
  let page: PDFPageProxy | null = null;
  try {
    page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const lines = linesOf(items);
    const asides = await annotationBlocks(page, fields, warn);
    for (const text of [...lines, ...asides]) yield { text, page: number };
    const { view, rotate } = page;
    const known = { items, lines: [...lines, ...asides], view, rotate };
    const pictured = await pictureLines(page, known, pictures, warn);
    for (const text of pictured) yield { text, page: number };
  } catch {
    warn('unreadable_part', 'the page is damaged', number);
  } finally {
    page?.cleanup();
  }
}

async function attachedFiles(pdf: PDFDocumentProxy): Promise<readonly string[]> {
  try {
    const attached: unknown = await pdf.getAttachments();
    if (attached instanceof Map) return [...attached.keys()].map(String);
    return typeof attached === 'object' && attached !== null ? Object.keys(attached) : [];
  } catch {
    return [];
  }
}
