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
    'prompt_token_ids padding obfuscation stop_reason images usage id object created model'
  ).split(' '),
);
/** The model's thinking as mere text: wanted back beside tool calls only, and refused by some elsewhere. */
const THINKING = new Set(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking']);
/** More of them than anyone sends; beyond it they are left out. */
const maxChars = 4 * 1024 * 1024;
/** Fields whose pieces follow each other; of other texts the last one counts. */
const GROWS =
  /^(reasoning_content|reasoning|reasoning_text|thinking|text|summary|content|data|partial_json|encrypted_content)$/;

/** Collects them from the pieces of one answer. */
export class ProviderFieldsReader {
  private readonly message: Fields = {};
  private isEmpty = true;

  /** @param delta a piece of the message, or all of it */
  add(delta: object): void {
    for (const key in delta) {
      if (KNOWN.has(key)) continue;
      const value = (delta as Fields)[key];
      if (isNothing(value)) continue;
      this.isEmpty = false;
      this.message[key] = mergedValue(key, this.message[key], value);
    }
  }

  /** The content as the list of parts that it came in, where some of them are more than text. */
  addParts(parts: readonly unknown[]): void {
    if (parts.every((part) => isObject(part) && (part['type'] ?? 'text') === 'text' && isTextOnly(part)))
      return;
    this.isEmpty = false;
    this.message['content'] = mergedList(listOf(this.message['content']), parts);
  }

  /** As it is kept; undefined: there is nothing. */
  written(server: string, model: string, calls: readonly AssembledCall[]): string | undefined {
    const message = { ...this.message };
    if (calls.length === 0) for (const key of THINKING) delete message[key];
    const extras = calls.map(({ extra }) => (Object.keys(extra).length === 0 ? null : extra));
    const hasMessage = !this.isEmpty && Object.keys(message).length > 0;
    const hasCalls = extras.some((extra) => extra !== null);
    if (!hasMessage && !hasCalls) return undefined;
    const fields: ProviderFields = {
      server,
      model,
      ...(hasMessage ? { message } : {}),
      ...(hasCalls ? { calls: extras } : {}),
    };
    const json = JSON.stringify(fields);
    return json.length <= maxChars ? json : undefined;
  }
}

/** What one piece after the other of the same field makes. */
export function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (before === undefined) return value;
  if (typeof before === 'string' && typeof value === 'string')
    return GROWS.test(key) ? before + value : value;
  if (Array.isArray(before) && Array.isArray(value)) return mergedList(before, value);
  if (isObject(before) && isObject(value)) return mergedObject(before, value);
  return value;
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

const isTextOnly = (part: Readonly<Fields>): boolean =>
  Object.keys(part).every((key) => key === 'type' || key === 'text');

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
