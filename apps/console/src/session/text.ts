import { visible } from '../conversation/visible.js';

/** Text of what others wrote as one line, cut to so many characters, with what hides in it spelled out. */
export function oneLine(text: string, most = 160): string {
  // White space of any kind becomes a space, and what has no width counts as such: it is spelled out before.
  const line = visible(text.slice(0, most * 4).replace(/\r\n?/g, '\n'))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).trimEnd()}…`;
}

/** JSON as people write it down: `{ order: "4711" }`. Text that is no JSON stays as it is. */
export function plainJson(text: string, most = 160): string {
  try {
    return oneLine(written(JSON.parse(text) as unknown, 0), most);
  } catch {
    return oneLine(text, most);
  }
}

const MOST_PARTS = 12;

function written(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 79)}…` : value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > 3) return '…';
  const entries = Object.entries(value).slice(0, MOST_PARTS);
  const isList = Array.isArray(value);
  const parts = entries.map(
    ([key, part]) => (isList ? '' : `${key}: `) + written(part as unknown, depth + 1),
  );
  if (Object.keys(value).length > MOST_PARTS) parts.push('…');
  if (parts.length === 0) return isList ? '[]' : '{}';
  return isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
}

/** `1,204`, in figures of the English language whatever the browser's is. */
export const grouped = (count: number): string => count.toLocaleString('en-US');

/** `1 attempt`, `1,204 events` */
export const counted = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? '' : 's'}`;

/** `2.1 KB` */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
