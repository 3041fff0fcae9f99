import { isObject } from './chat-request.js';

const MAX_CHARS = 400;
const MAX_PARTS = 10;

/** What a tool said, in a line or a few: passages with their file and page, a workflow's steps, anything else as it is. */
export function toolReport(name: string, text: string): string {
  const { passages, steps } = objectOf(text);
  if (Array.isArray(passages))
    return passages.length === 0
      ? `${name} found nothing.`
      : `${name} found:\n${passages.filter(isObject).slice(0, MAX_PARTS).map(passageLine).join('\n')}`;
  if (Array.isArray(steps))
    return `${name} said:\n${steps.filter(isObject).slice(0, MAX_PARTS).map(stepLine).join('\n')}`;
  return `${name} said: ${cut(text, MAX_CHARS)}`;
}

const passageLine = ({ filename, page, text }: Record<string, unknown>): string =>
  `- ${String(filename)}${typeof page === 'number' ? `, page ${page}` : ''}: ${cut(String(text), MAX_CHARS)}`;

const stepLine = ({ id, status, output }: Record<string, unknown>): string =>
  `- ${String(id)} ${String(status)}${typeof output === 'string' ? `: ${cut(output, MAX_CHARS)}` : ''}`;

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** In one line, of `max` characters at most. */
export function cut(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  // Not between the two halves of an emoji.
  return line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
