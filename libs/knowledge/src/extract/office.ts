import type { Block } from '../passage.js';
import { relationsOf } from './office-package.js';
import { readSheets } from './office-sheets.js';
import { readSlides } from './office-slides.js';
import { readWords } from './office-words.js';
import { unsupported } from './unreadable-file.js';
import { ZipParts } from './zip.js';

/** DOCX, XLSX and PPTX: packages of XML (ECMA-376), told apart by their main part. @throws UnreadableFile */
export function readOffice(bytes: Uint8Array): Iterable<Block> {
  const zip = new ZipParts(bytes);
  const main = mainPart(zip);
  if (main.startsWith('word/')) return readWords(zip, main);
  if (main.startsWith('xl/')) return readSheets(zip, main);
  if (main.startsWith('ppt/')) return readSlides(zip, main);
  throw unsupported('a package of this kind is not supported: DOCX, XLSX and PPTX are');
}

function mainPart(zip: ZipParts): string {
  for (const { type, target } of relationsOf(zip, '')) if (type.endsWith('/officeDocument')) return target;
  return (
    ['word/document.xml', 'xl/workbook.xml', 'ppt/presentation.xml'].find((name) => zip.names.has(name)) ?? ''
  );
}
