import type { ToolCall } from '../model-client.js';
import { cleanText } from './clean-text.js';

interface Draft {
  id: string;
  name: string;
  arguments: string;
}

/** Where pieces without an index go. */
const noIndex = -1;

/**
 * Puts the pieces of tool calls together. Servers differ: the index may be missing or always 0, the id may be missing or
 * repeated, the name may come in pieces or again with every piece, and some send whole calls.
 */
export class ToolCallAssembler {
  private readonly drafts: Draft[] = [];
  private readonly open = new Map<number, Draft>();

  get isEmpty(): boolean {
    return this.drafts.length === 0;
  }

  get chars(): number {
    return this.drafts.reduce((sum, draft) => sum + draft.name.length + draft.arguments.length, 0);
  }

  add(piece: CallPiece): void {
    const index = typeof piece.index === 'number' ? piece.index : noIndex;
    const id = textOf(piece.id);
    const name = textOf(piece.function?.name);
    const args = argumentsOf(piece.function?.arguments);
    let draft = this.open.get(index);
    if (draft === undefined || isAnother(draft, id, name, args)) {
      draft = { id: '', name: '', arguments: '' };
      this.drafts.push(draft);
      this.open.set(index, draft);
    }
    if (draft.id === '') draft.id = id;
    if (name !== draft.name) draft.name += name;
    draft.arguments += args;
  }

  /** In the order in which they began, with ids that are unique among them. */
  finished(): ToolCall[] {
    const ids = new Set<string>();
    return this.drafts.map((draft, at) => {
      let id = cleanText(draft.id) || `call_${at}`;
      if (ids.has(id)) id = `${id}_${at}`;
      ids.add(id);
      return { id, name: cleanText(draft.name), arguments: cleanText(draft.arguments) || '{}' };
    });
  }
}

export interface CallPiece {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** Whether a piece for a slot that is taken begins a call of its own. Only a piece with a name can. */
function isAnother(draft: Draft, id: string, name: string, args: string): boolean {
  if (name === '') return false;
  if (id !== '' && draft.id !== '') return id !== draft.id;
  return args !== '' && isComplete(draft.arguments);
}

function isComplete(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const argumentsOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
