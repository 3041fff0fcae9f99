import type { AssembledCall } from './tool-call-assembler.js';

type Fields = Record<string, unknown>;

/**
 * What a server sent with an assistant message besides what we know: thought signatures, reasoning beside tool calls.
 * Some servers refuse the session if it does not come back as it was. Kept as JSON text with the turn, on the log.
 */
export interface ProviderFields {
  /** Which server it came from: it means nothing to another. */
  readonly server: string;
  readonly model: string;
  /** Fields of the message. */
  readonly message?: Readonly<Fields>;
  /** Fields of its calls, in their order; null: none. */
  readonly calls?: readonly (Readonly<Fields> | null)[];
}

/** What we know, or what no server wants back. */
const KNOWN = new Set(
  (
    'role content refusal tool_calls function_call index name type audio annotations parsed logprobs token_ids ' +
    'prompt_token_ids padding obfuscation stop_reason images usage id object created model __proto__'
  ).split(' '),
);
/** The model's thinking as mere text: wanted back beside tool calls only, and refused by some elsewhere. */
const THINKING = new Set(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking']);
/** Texts whose pieces may be the same one after the other. */
const GROWS =
  /^(reasoning_content|reasoning|reasoning_text|thinking|text|summary|content|data|partial_json|encrypted_content)$/;
/** Texts that say what a thing is: of several the last one counts. */
const NAMES = new Set('type id index format role status phase name model provider'.split(' '));

/** Collects them from the pieces of one answer. */
export class ProviderFieldsReader {
  private readonly message: Fields = {};
  private parts: unknown[] | undefined;

  /** @param delta a piece of the message, or all of it as far as it has come */
  add(delta: object, isWhole: boolean): void {
    for (const key in delta) {
      if (KNOWN.has(key)) continue;
      const value = (delta as Fields)[key];
      if (isNothing(value)) continue;
      this.message[key] = isWhole ? value : mergedValue(key, this.message[key], value);
    }
  }

  /**
   * The content as the list of parts that it comes in; some servers send only what is more than text so.
   * @param before the text that came before it
   */
  addParts(parts: readonly unknown[], before: string): void {
    this.parts ??= before === '' ? [] : [textPart(before)];
    this.parts = mergedList(
      this.parts,
      parts.map((part) => (typeof part === 'string' ? textPart(part) : part)),
    );
  }

  /** Text that is no part of such a list. */
  addText(text: string): void {
    if (this.parts !== undefined) this.parts = mergedList(this.parts, [textPart(text)]);
  }

  /** As it is kept; undefined: there is nothing. */
  written(server: string, model: string, calls: readonly AssembledCall[]): string | undefined {
    const message = { ...this.message };
    if (this.parts !== undefined && !this.parts.every(isTextOnly)) message['content'] = this.parts;
    if (calls.length === 0) for (const key of THINKING) delete message[key];
    const extras = calls.map(({ extra }) => (Object.keys(extra).length === 0 ? null : extra));
    const hasMessage = Object.keys(message).length > 0;
    const hasCalls = extras.some((extra) => extra !== null);
    if (!hasMessage && !hasCalls) return undefined;
    const fields: ProviderFields = {
      server,
      model,
      ...(hasMessage ? { message } : {}),
      ...(hasCalls ? { calls: extras } : {}),
    };
    return JSON.stringify(fields);
  }
}

/** What one piece after the other of the same field makes. */
export function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  if (typeof before === 'string' && typeof value === 'string') return mergedText(key, before, value);
  if (Array.isArray(before) && Array.isArray(value)) return mergedList(before, value);
  if (isObject(before) && isObject(value)) return mergedObject(before, value);
  return value;
}

/** What nobody knows grows, as OpenAI's own libraries have it, but for servers that say the same again or all of it. */
function mergedText(key: string, before: string, value: string): string {
  if (NAMES.has(key)) return value;
  if (!GROWS.test(key) && value.startsWith(before)) return value;
  return before + value;
}

function mergedObject(before: Readonly<Fields>, value: Readonly<Fields>): Fields {
  const all: Fields = { ...before };
  for (const [key, inner] of Object.entries(value))
    if (!isNothing(inner) || !(key in all)) all[key] = mergedValue(key, all[key], inner);
  return all;
}

/** Pieces of a list: those of the same place, or of the same kind one after the other, are one. */
function mergedList(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const all = [...before];
  for (const piece of more) {
    const at = isObject(piece) ? placeOf(all, piece) : -1;
    if (at < 0) all.push(piece);
    else all[at] = mergedObject(all[at] as Fields, piece as Fields);
  }
  return all;
}

function placeOf(list: readonly unknown[], piece: Readonly<Fields>): number {
  const { index, type, id } = piece;
  const isSame = (other: unknown): boolean =>
    isObject(other) &&
    other['type'] === type &&
    (isNothing(id) || isNothing(other['id']) || other['id'] === id);
  if (typeof index === 'number')
    return list.findLastIndex((other) => isSame(other) && (other as Fields)['index'] === index);
  const last = list.at(-1);
  if (!isSame(last) || typeof type !== 'string') return -1;
  const { signature, index: hasIndex } = last as Fields;
  // A signed part is complete.
  return isNothing(signature) && hasIndex === undefined ? list.length - 1 : -1;
}

const textPart = (text: string) => ({ type: 'text', text });

const isTextOnly = (part: unknown): boolean =>
  isObject(part) &&
  (part['type'] ?? 'text') === 'text' &&
  Object.keys(part).every((key) => key === 'type' || key === 'text');

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
