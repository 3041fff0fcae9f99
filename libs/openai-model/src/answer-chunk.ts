import { MalformedAnswer } from './failures.js';
import type { CallPiece } from './tool-call-assembler.js';

/** A piece of an answer. Every field is read as if it could be anything: servers differ, and some lie. */
export interface Chunk {
  readonly [key: string]: unknown;
  readonly object?: unknown;
  readonly choices?: unknown;
  readonly usage?: unknown;
}

export interface Choice {
  readonly index?: unknown;
  readonly delta?: unknown;
  readonly message?: unknown;
  readonly text?: unknown;
  readonly error?: unknown;
  readonly usage?: unknown;
  readonly finish_reason?: unknown;
  readonly finishReason?: unknown;
}

export interface Delta {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
  readonly function_call?: CallPiece['function'];
}

/** The pieces that a record holds: mostly one. @param name of the record. @throws Nonsense */
export function chunksIn(data: string, name?: string): Chunk[] {
  const value = parsed(data);
  // An error may be plain words.
  if (name === 'error' && (typeof value !== 'object' || value === null))
    return [{ error: typeof value === 'string' ? value : data }];
  // Records without the blank line between them.
  if (value === undefined && data.includes('\n')) {
    const lines = data.split('\n').filter((line) => line.trim() !== '' && !/^\[?done\]?$/i.test(line.trim()));
    return lines.flatMap((line) => valuesOf(parsed(line)));
  }
  return valuesOf(value);
}

function valuesOf(value: unknown): Chunk[] {
  if (value === undefined) throw new MalformedAnswer("a piece of the model server's answer is not JSON");
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  if (typeof value === 'string') return valuesOf(parsed(value));
  if (typeof value !== 'object' || value === null)
    throw new MalformedAnswer("a piece of the model server's answer is no object");
  return [value as Chunk];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The one that counts, or what stands for it. */
export function firstChoice(chunk: Chunk): Choice | undefined {
  const { choices, message, done } = chunk;
  if (Array.isArray(choices)) {
    const found = choices.find((choice) => isObject(choice) && !(Number(choice.index) > 0)) as unknown;
    return isObject(found) ? found : undefined;
  }
  if (isObject(choices)) return choices;
  // A message by itself, as Ollama's own interface has it.
  if (!isObject(message)) return undefined;
  return { delta: message, finish_reason: done === true ? (chunk['done_reason'] ?? 'stop') : null };
}

/** What a choice adds. Some servers send the message itself, as a piece or as a whole. */
export function deltaOf({ delta, message, text }: Choice): { delta: Delta | undefined; isWhole: boolean } {
  if (isObject(delta) && (Object.keys(delta).length > 0 || !isObject(message)))
    return { delta, isWhole: false };
  if (isObject(message)) return { delta: message, isWhole: true };
  return { delta: typeof text === 'string' ? { content: text } : undefined, isWhole: false };
}

/** Fields for what the model thinks; the first that says something counts, for some servers fill several. */
const THINKING = [
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'thinking',
  'reasoning_details',
  'thinking_blocks',
] as const;

export function thinkingIn(delta: object): string {
  for (const field of THINKING) {
    const text = textIn((delta as Readonly<Record<string, unknown>>)[field]);
    if (text !== '') return text;
  }
  return '';
}

/** The thinking in a part of content: all of its text, where that is what it is for. */
export function thinkingInPart(part: object): string {
  const { type } = part as { type?: unknown };
  const isThinking = type === 'thinking' || type === 'reasoning' || type === 'thought';
  return thinkingIn(part) || (isThinking ? textIn(part) : '');
}

/** Text given as a string, as an object that holds it, or as a list of these. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (!isObject(value)) return '';
  const { text, summary, thinking, content } = value as Readonly<Record<string, unknown>>;
  return textIn(text ?? summary ?? thinking ?? content);
}

const isObject = (value: unknown): value is object & Choice & Delta =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
