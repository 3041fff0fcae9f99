import { type TurnToolCall, inputOf } from '#domain/browser';
import { isSameJson } from './same-json.js';

/** A turn as it is compared. */
export interface ComparedTurn {
  readonly response: string;
  readonly tool_calls: readonly ComparedCall[];
}

export interface ComparedCall {
  readonly tool: string;
  /** The arguments, parsed; as text where they are no JSON, an empty object where there are none. */
  readonly input: unknown;
}

/** The turns of two runs at one position; null: that run has none there. */
export interface TurnDiff {
  readonly status: 'same' | 'changed' | 'only_a' | 'only_b';
  readonly a: ComparedTurn | null;
  readonly b: ComparedTurn | null;
}

export interface Verdict {
  /** The last turn of each says the same. */
  readonly same_response: boolean;
  /** The turns at each position make the same calls in the same order. */
  readonly same_tool_calls: boolean;
  readonly same_final_output: boolean;
}

export const comparedTurn = (response: string, calls: readonly TurnToolCall[]): ComparedTurn => ({
  response,
  tool_calls: calls.map((call) => {
    const input = inputOf(call);
    return { tool: call.name, input: input === undefined ? call.arguments : input };
  }),
});

/** Compares the turns of two runs, position by position. It keeps of them no more than what each run said last. */
export class RunComparison {
  private readonly last = { a: '', b: '' };
  private areCallsSame = true;

  /** The turns at the next position; at least one of them is there. */
  push(a: ComparedTurn | null, b: ComparedTurn | null): TurnDiff {
    if (a !== null) this.last.a = a.response;
    if (b !== null) this.last.b = b.response;
    const hasSameCalls = isSameJson(a?.tool_calls ?? [], b?.tool_calls ?? []);
    this.areCallsSame &&= hasSameCalls;
    if (a === null) return { status: 'only_b', a, b };
    if (b === null) return { status: 'only_a', a, b };
    const isSame = hasSameCalls && a.response === b.response;
    return { status: isSame ? 'same' : 'changed', a, b };
  }

  /** What the runs have in common, when their last turns were compared. @param outputs their final outputs; null: none */
  verdictOn(outputs: { readonly a: unknown; readonly b: unknown }): Verdict {
    return {
      same_response: this.last.a === this.last.b,
      same_tool_calls: this.areCallsSame,
      same_final_output: isSameJson(outputs.a, outputs.b),
    };
  }

  /** Characters that it keeps. */
  get weight(): number {
    return this.last.a.length + this.last.b.length;
  }
}

/** JSON text as its value; itself where it is none. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
