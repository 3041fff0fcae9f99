import { decodeText } from './decode.js';
import { kindOf } from './kinds.js';

export const UNKNOWN_FORMAT =
  'the format is not supported: PDF, text, Markdown, HTML, CSV, JSON, DOCX, XLSX, PPTX, PNG, JPG and WebP are';

/** Why a text is none to people; null: it may be one. */
export const markupFault = (text: string): string | null =>
  /^\s*(?:\{\\rtf|%!PS)/.test(text) ? 'RTF and PostScript are not supported; save it as DOCX or PDF' : null;

/** Why a file of this format is never read, whatever stands in it; null: it may be. */
export function unsupportedFormat(bytes: Uint8Array): string | null {
  const kind = kindOf(bytes);
  if (kind === 'binary') return UNKNOWN_FORMAT;
  return kind === 'text' ? markupFault(decodeText(bytes)) : null;
}
