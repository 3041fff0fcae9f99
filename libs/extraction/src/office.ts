import type { Block } from './passage.js';
import { relationsOf } from './office-package.js';
import { readSheets } from './office-sheets.js';
import { readSlides } from './office-slides.js';
import { readWords } from './office-words.js';
import { unsupported } from './unreadable-file.js';
import type { Warn } from './warnings.js';
import { readXml } from './xml.js';
import { ZipParts } from './zip.js';

/** DOCX, XLSX and PPTX: packages of XML (ECMA-376), told apart by their main part. @throws UnreadableFile */
export function readOffice(bytes: Uint8Array, warn: Warn): Iterable<Block> | AsyncIterable<Block> {
  const zip = new ZipParts(bytes);
  const main = mainPart(zip);
  switch (kindOfPackage(zip, main)) {
    case 'word':
      return readWords(zip, main, warn);
    case 'xl':
      return readSheets(zip, main, warn);
    case 'ppt':
      return readSlides(zip, main, warn);
    case 'binary':
      throw unsupported('XLSB is not supported; save it as XLSX');
    default:
      throw unsupported('a package of this kind is not supported: DOCX, XLSX and PPTX are');
  }
}

function mainPart(zip: ZipParts): string {
  for (const { type, target } of relationsOf(zip, '')) if (type.endsWith('/officeDocument')) return target;
  return (
    ['word/document.xml', 'xl/workbook.xml', 'ppt/presentation.xml'].find((name) => zip.names.has(name)) ?? ''
  );
}

/** By the folder that everybody uses, or else by the name of the main part's first element. */
function kindOfPackage(zip: ZipParts, main: string): string {
  if (main.endsWith('.bin')) return 'binary';
  const folder = /^(?:word|xl|ppt)(?=\/)/.exec(main)?.[0];
  if (folder !== undefined) return folder;
  const bytes = zip.read(main);
  let root: string | null = null;
  if (bytes !== null) readXml(bytes.subarray(0, HEAD), { open: (name) => (root ??= name) });
  return root === null ? '' : (ROOTS[root] ?? '');
}

const HEAD = 64 * 1024;
const ROOTS: Readonly<Record<string, string>> = { document: 'word', workbook: 'xl', presentation: 'ppt' };
