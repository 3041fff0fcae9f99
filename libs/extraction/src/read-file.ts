import type { Block } from './passage.js';
import { csvDelimiterOf, readCsv } from './csv.js';
import { decodeText } from './decode.js';
import { readAnyXml, readHtml } from './html.js';
import { isHtml, preambleOf } from './html-signs.js';
import type { ImageKind } from './image-size.js';
import { parsedJson, readJson } from './json.js';
import { type Kind, kindOf } from './kinds.js';
import { beginFile } from './ocr.js';
import { readOffice } from './office.js';
import { readPdf } from './pdf.js';
import { readPicture } from './picture.js';
import { readPlainText } from './plain-text.js';
import { unprocessable, unsupported } from './unreadable-file.js';
import type { Warn } from './warnings.js';
import { UNKNOWN_FORMAT, markupFault } from './unsupported-format.js';

/**
 * The blocks of a file; `warn` is called for what is not among them. Its name counts only where a text may or may not be
 * a page.
 * @throws UnreadableFile
 */
export async function* readBlocks(content: Uint8Array, filename: string, warn: Warn): AsyncGenerator<Block> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  if (bytes.length === 0) throw unprocessable('the file is empty');
  beginFile();
  yield* readKind(kindOf(bytes), bytes, filename, warn);
}

function readKind(
  kind: Kind,
  bytes: Buffer,
  filename: string,
  warn: Warn,
): Iterable<Block> | AsyncIterable<Block> {
  switch (kind) {
    case 'pdf':
      return readPdf(new Uint8Array(bytes), warn);
    case 'png':
    case 'jpeg':
    case 'webp':
      return readImage(kind, bytes);
    case 'zip':
      return readOffice(bytes, warn);
    case 'text':
      return readText(decodeText(bytes, warn, filename), filename);
    case 'compound':
      throw unprocessable(
        'the file is encrypted, or of an Office before 2007; save it as DOCX, XLSX or PPTX',
      );
    case 'binary':
      throw unsupported(UNKNOWN_FORMAT);
  }
}

function readText(text: string, filename: string): Iterable<Block> {
  const fault = markupFault(text);
  if (fault !== null) throw unsupported(fault);
  if (isHtml(text, filename)) return readHtml(text);
  if (isXml(text)) return readAnyXml(text);
  const json = parsedJson(text);
  if (json !== undefined) return readJson(json);
  const delimiter = csvDelimiterOf(text);
  return delimiter === null ? readPlainText(text) : readCsv(text, delimiter);
}

/** By its declaration, or because what is opened first is closed last. */
function isXml(text: string): boolean {
  const { end, isXml } = preambleOf(text);
  if (isXml) return true;
  ROOT.lastIndex = end;
  const root = ROOT.exec(text)?.[1];
  return root !== undefined && text.trimEnd().endsWith(`</${root}>`);
}

const ROOT = /(?:<!DOCTYPE\s[^<>[]{0,1000}>\s*)?<([A-Za-z_][\w.:-]{0,100})[\s>]/y;

async function* readImage(kind: ImageKind, bytes: Uint8Array): AsyncGenerator<Block> {
  for (const text of await readPicture(kind, bytes)) yield { text, page: null };
}
