import { cleanText } from '#platform';
import type { ToolOutcome } from '#agent';
import { jsonText } from './json-text.js';
import { McpFailure } from './mcp-failure.js';
import { ResultFiles } from './result-files.js';
import { isRecord } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';

/**
 * What the agent is told of a result of `tools/call`: its texts, its structured content where no text says the same, and of
 * images, audio and files what they are and the ids that they are kept under. It can look at text and at the images that
 * models take: `missing` says what it does not see.
 * @param session in whose files they will lie
 */
export function outcomeOf(
  result: Readonly<Record<string, unknown>>,
  mask: SecretMask,
  maxChars: number,
  session: string,
): ToolOutcome & { readonly missing: readonly string[] } {
  const blocks = blocksOf(result);
  const kept = new ResultFiles(session, mask);
  const parts = blocks.map((block) => textOfBlock(block, kept));
  const missing = [...kept.unseen];
  // Before 2024-11-05.
  const structured = result['structuredContent'] ?? result['toolResult'];
  const json = structured === undefined ? '' : jsonText(structured);
  if (json === null) missing.push(TOO_DEEP);
  if (json === null || !parts.some((part) => saysTheSame(part, json))) parts.push(json ?? TOLD_TOO_DEEP);
  const text = parts.filter((part) => part !== '').join('\n');
  const content = text === '' ? 'the tool returned nothing' : cut(text, mask, maxChars);
  if (text.length > maxChars) missing.push(`what stands behind the first ${maxChars} characters`);
  const { files } = kept;
  return {
    content,
    missing,
    ...(files.length > 0 ? { files } : {}),
    ...(result['isError'] === true ? { isError: true } : {}),
  };
}

const TOO_DEEP = 'what is nested too deeply';
const TOLD_TOO_DEEP = '[a result that is nested too deeply to be shown; the call was carried out]';

/** Why a result is none that can be told; null: it can. Before revision 2026-07-28 there were no other kinds. */
export function refusedKindOf({ resultType }: Readonly<Record<string, unknown>>): McpFailure | null {
  switch (resultType) {
    case undefined:
    case 'complete':
    case 'task':
    case 'input_required':
      return null;
    default:
      return new McpFailure('nonsense', 'gave a result of a kind that is not known here');
  }
}

/** What servers make of `content`, where there is anything at all; without it the result is told as it is. */
function blocksOf(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { content, structuredContent, toolResult, isError: _e, resultType: _r, _meta, ...rest } = result;
  if (Array.isArray(content)) return content as unknown[];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (isRecord(content)) return [content];
  const isSaid =
    structuredContent !== undefined || toolResult !== undefined || Object.keys(rest).length === 0;
  return isSaid ? [] : [{ type: 'text', text: jsonText(rest) ?? TOLD_TOO_DEEP }];
}

function textOfBlock(block: unknown, kept: ResultFiles): string {
  if (!isRecord(block)) return '';
  const { type } = block;
  switch (type) {
    case 'text':
      return textOf(block['text']);
    case 'image':
    case 'audio':
      return `[${type}${kept.take(type, { data: block['data'], mimeType: block['mimeType'] })}]`;
    case 'resource':
      return isRecord(block['resource']) ? textOfResource(block['resource'], kept) : '';
    case 'resource_link': {
      const { uri, name, mimeType, size, description } = block;
      const bytes = typeof size === 'number' ? `, ${size} bytes` : '';
      const about = textOf(description) === '' ? '' : `: ${textOf(description)}`;
      return `[resource ${textOf(uri)}${quoted(name)}${of(mimeType)}${bytes}${about}]`;
    }
    default:
      kept.unseen.add('content of a kind that is not known here');
      return `[${textOf(type) || 'content'} of a kind that is not known here, not shown]`;
  }
}

function textOfResource(
  { uri, mimeType, text, blob }: Readonly<Record<string, unknown>>,
  kept: ResultFiles,
): string {
  const head = `resource ${textOf(uri)}`;
  if (typeof text === 'string') return `[${head}${of(mimeType)}]\n${text}`;
  return `[${head}${kept.take('a file', { data: blob, mimeType, uri })}]`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const of = (mimeType: unknown): string => (textOf(mimeType) === '' ? '' : `, ${textOf(mimeType)}`);
const quoted = (name: unknown): string => (textOf(name) === '' ? '' : ` "${textOf(name)}"`);

/** Servers repeat structured content as JSON text for older clients. */
function saysTheSame(text: string, structured: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === structured;
  } catch {
    return false;
  }
}

/** A secret at the cut is seen whole before it is cut; what is masked makes room for what comes behind. */
const margin = 4_096;

function cut(text: string, mask: SecretMask, maxChars: number): string {
  const isCut = text.length > maxChars;
  const clean = cleanText(mask.cleanBeginning(text, maxChars + margin));
  if (!isCut) return clean;
  const head = clean.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n[cut here: the result has ${text.length} characters, the first ${head.length} are shown]`;
}
