import type { ToolCall } from '#agent';
import { cleanText } from '#platform';
import { mergedValue } from './merged-value.js';
import { argumentsOfPieces, isWholeObject } from './tool-arguments.js';

interface Draft {
  id: string;
  name: string;
  readonly pieces: string[];
  /** What the server sent with the call besides what we know. */
  readonly extra: Record<string, unknown>;
}

/** Where pieces without an index go. */
const noIndex = -1;

/** A call, and what the server sent with it that is not ours to understand. */
export interface AssembledCall {
  readonly call: ToolCall;
  readonly extra: Readonly<Record<string, unknown>>;
}

/**
 * Assembles tool calls from streamed deltas. Servers differ: the index may be missing or always 0, the id missing or
 * repeated, the name split or repeated in every delta, and some send whole calls.
 */
export class ToolCallAssembler {
  private readonly drafts: Draft[] = [];
  private readonly open = new Map<number, Draft>();

  get isEmpty(): boolean {
    return this.drafts.length === 0;
  }

  get chars(): number {
    return this.drafts.reduce(
      (sum, { name, pieces }) => sum + pieces.reduce((all, piece) => all + piece.length, name.length),
      0,
    );
  }

  /** @param position of a call that is whole: its place among the calls of its message */
  add(piece: CallPiece, position?: number): void {
    const { name: ownName, arguments: ownArguments } = piece;
    const called = piece.function ?? { name: ownName, arguments: ownArguments };
    const index = typeof piece.index === 'number' ? piece.index : (position ?? noIndex);
    const id = idOf(piece.id);
    const name = typeof called.name === 'string' ? called.name : '';
    const args = argumentsOf(called.arguments);
    let draft = this.open.get(index);
    if (draft === undefined || isAnother(draft, id, name, args)) {
      draft = { id: '', name: '', pieces: [], extra: {} };
      this.drafts.push(draft);
      this.open.set(index, draft);
    }
    if (draft.id === '') draft.id = id;
    if (name !== draft.name) draft.name += name;
    if (args !== '') draft.pieces.push(args);
    keepExtra(draft.extra, piece);
  }

  /** In the order in which they began, with ids that are unique among them. @param isCut the answer ended in their midst */
  finished(isCut: boolean): AssembledCall[] {
    const ids = new Set<string>();
    return this.drafts.map(({ extra, ...draft }, at) => {
      let id = cleanText(draft.id) || `call_${at}`;
      if (ids.has(id)) id = `${id}_${at}`;
      ids.add(id);
      const isLast = at === this.drafts.length - 1;
      const isPart = isCut && isLast && !isWholeObject(draft.pieces.join(''));
      const args = cleanText(isPart ? draft.pieces.join('') : argumentsOfPieces(draft.pieces));
      const call = { id, name: cleanText(draft.name), arguments: args };
      return { call: isPart ? { ...call, isCut: true as const } : call, extra };
    });
  }
}

export interface CallPiece {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
  /** Some servers put these here. */
  readonly name?: unknown;
  readonly arguments?: unknown;
}

const KNOWN = new Set(['index', 'id', 'type', 'function', 'name', 'arguments', '__proto__']);

/** Of the call, and of the function in it. */
function keepExtra(extra: Record<string, unknown>, piece: CallPiece): void {
  keepUnknown(extra, piece);
  const inner: Record<string, unknown> = {};
  keepUnknown(inner, piece.function ?? {});
  if (Object.keys(inner).length > 0) extra['function'] = mergedValue('function', extra['function'], inner);
}

function keepUnknown(extra: Record<string, unknown>, piece: object): void {
  for (const [key, value] of Object.entries(piece) as [string, unknown][])
    if (!KNOWN.has(key) && value !== null && value !== undefined && value !== '')
      extra[key] = mergedValue(key, extra[key], value);
}

/** Whether a piece for a slot that is taken begins a call of its own. Only a piece with a name can. */
function isAnother(draft: Draft, id: string, name: string, args: string): boolean {
  if (name === '') return false;
  if (id !== '' && draft.id !== '') return id !== draft.id;
  const before = draft.pieces.join('');
  if (args === '' || !isWholeObject(before)) return false;
  // The same once more, or what `{}` stood before, is the same call.
  return name !== draft.name || (before !== args && before.trim() !== '{}');
}

const idOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const argumentsOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
};
