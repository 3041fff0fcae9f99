import { lastOf, normalizeText, pairsOf, runsOf } from './index-text.js';
import { FOUND_END, FOUND_START } from './snippet.js';

/** A text as the index has it, and where in the document each of its characters comes from. */
export interface TracedText {
  readonly text: string;
  readonly sources: readonly number[];
}

/** The same as `indexText`, for what is shown: it costs more. */
export function traceText(text: string): TracedText {
  const normal = traceNormal(text);
  let traced = '';
  const sources: number[] = [];
  const put = (part: string, from: number): void => {
    for (let at = 0; at < part.length; at++) sources.push(normal.sources[from + at] ?? 0);
    traced += part;
  };
  let at = 0;
  for (const part of runsOf(normal.text)) {
    if (!part.isRun) put(part.text, at);
    else
      for (const letters of [...pairsOf(part.text), lastOf(part.text)]) {
        const from = normal.text.indexOf(letters, at);
        put(' ', from);
        put(letters, from);
        at = from;
      }
    at = part.isRun ? at + lastOf(part.text).length : at + part.text.length;
    if (part.isRun) put(' ', at);
  }
  return { text: traced, sources };
}

/** Marks of the traced text, put where the same stands in the document's. */
export function carryMarks(text: string, { sources }: TracedText, marked: string): string {
  let [seen, end, carried] = [0, 0, ''];
  for (const [index, part] of marked.replaceAll(FOUND_END, '').split(FOUND_START).entries()) {
    const source = sources[seen] ?? text.length;
    if (index > 0 && source >= end) {
      carried += text.slice(end, source) + FOUND_START;
      end = source;
    }
    seen += part.length;
  }
  return carried + text.slice(end);
}

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function traceNormal(text: string): TracedText {
  let normal = '';
  const sources: number[] = [];
  for (const { segment, index } of GRAPHEMES.segment(text)) {
    const part = normalizeText(segment);
    for (let at = 0; at < part.length; at++) sources.push(index);
    normal += part;
  }
  return { text: normal, sources };
}
