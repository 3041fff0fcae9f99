import type { Block } from '../passage.js';
import { csvDelimiterOf, readCsv } from './csv.js';
import { decodeText } from './decode.js';
import { isHtml, readAnyXml, readHtml } from './html.js';
import { imageSizeOf } from './image-size.js';
import { parsedJson, readJson } from './json.js';
import { type Kind, kindOf } from './kinds.js';
import { MAX_PIXELS, paragraphsOf, recognise } from './ocr.js';
import { readOffice } from './office.js';
import { readPdf } from './pdf.js';
import { readPlainText } from './plain-text.js';
import { unprocessable, unsupported } from './unreadable-file.js';
import type { Warn } from './warnings.js';
import { UNKNOWN_FORMAT, markupFault } from './unsupported-format.js';

/** The blocks of a file, whatever its name; of what is not among them, `warn` hears. @throws UnreadableFile */
export async function* readBlocks(content: Uint8Array, warn: Warn): AsyncGenerator<Block> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  if (bytes.length === 0) throw unprocessable('the file is empty');
  yield* readKind(kindOf(bytes), bytes, warn);
}

function readKind(kind: Kind, bytes: Buffer, warn: Warn): Iterable<Block> | AsyncIterable<Block> {
  switch (kind) {
    case 'pdf':
      return readPdf(new Uint8Array(bytes));
    case 'png':
    case 'jpeg':
    case 'webp':
      return readImage(kind, bytes);
    case 'zip':
      return readOffice(bytes);
    case 'text':
      return readText(decodeText(bytes, warn));
    case 'compound':
      throw unprocessable(
        'the file is encrypted, or of an Office before 2007; save it as DOCX, XLSX or PPTX',
      );
    case 'binary':
      throw unsupported(UNKNOWN_FORMAT);
  }
}

function readText(text: string): Iterable<Block> {
  const fault = markupFault(text);
  if (fault !== null) throw unsupported(fault);
  if (isHtml(text)) return readHtml(text);
  if (/^\s*<\?xml\b/.test(text)) return readAnyXml(text);
  const json = parsedJson(text);
  if (json !== undefined) return readJson(json);
  const delimiter = csvDelimiterOf(text);
  return delimiter === null ? readPlainText(text) : readCsv(text, delimiter);
}

async function* readImage(kind: 'png' | 'jpeg' | 'webp', bytes: Uint8Array): AsyncGenerator<Block> {
  const size = imageSizeOf(kind, bytes);
  if (size === null) throw unprocessable('the image is damaged');
  if (size.width * size.height > MAX_PIXELS)
    throw unprocessable(
      `the image has ${size.width} x ${size.height} pixels; at most 40 million can be read`,
    );
  for (const text of paragraphsOf(await recognise(bytes))) yield { text, page: null };
}
