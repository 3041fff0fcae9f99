import { formatDollars, parseDollars } from '#domain/browser';
import type { RunStatus, Usage } from '../api/types.js';
import { count, duration, money } from '../parts/format.js';

export interface Sides<T> {
  readonly a: T;
  readonly b: T;
}

export interface ComparedTurn {
  readonly response: string;
  readonly tool_calls: readonly { readonly tool: string; readonly input: unknown }[];
}

export interface TurnDiff extends Sides<ComparedTurn | null> {
  readonly status: 'same' | 'changed' | 'only_a' | 'only_b';
}

/** The answer of `GET /runs/{a}/diff/{b}`. */
export interface RunDiff {
  readonly same_response: boolean;
  readonly same_tool_calls: boolean;
  readonly same_final_output: boolean;
  readonly turns: readonly TurnDiff[];
  readonly status: Sides<RunStatus>;
  readonly cost: Sides<string>;
  readonly usage: Sides<Usage>;
  readonly ms: Sides<number | null>;
  readonly final_output: Sides<unknown>;
}

/** A figure of both, and by how much the second is more. */
export interface Delta extends Sides<string> {
  readonly name: string;
  readonly delta: string;
}

const signed = (n: number, text: (size: number) => string): string =>
  n === 0 ? 'the same' : `${n > 0 ? '+' : '−'}${text(Math.abs(n))}`;

/** Exactly: amounts are decimal strings. */
export function costDelta({ a, b }: Sides<string>): string {
  const delta = parseDollars(b) - parseDollars(a);
  if (delta === 0n) return 'the same';
  return `${delta > 0n ? '+' : '−'}${money(formatDollars(delta < 0n ? -delta : delta))}`;
}

export function deltasOf({ cost, usage, ms }: RunDiff): readonly Delta[] {
  const tokens = (name: string, of: (usage: Usage) => number): Delta => ({
    name,
    a: count(of(usage.a)),
    b: count(of(usage.b)),
    delta: signed(of(usage.b) - of(usage.a), count),
  });
  const time = (of: number | null): string => (of === null ? '–' : duration(of));
  return [
    { name: 'Cost', a: money(cost.a), b: money(cost.b), delta: costDelta(cost) },
    tokens('Input tokens', (of) => of.input_tokens),
    tokens('Output tokens', (of) => of.output_tokens),
    tokens('Model calls', (of) => of.model_calls),
    {
      name: 'Time',
      a: time(ms.a),
      b: time(ms.b),
      delta: ms.a === null || ms.b === null ? '–' : signed(ms.b - ms.a, duration),
    },
  ];
}

/** A turn as text: what was said, then its calls. */
export function turnText(turn: ComparedTurn | null): string {
  if (turn === null) return '';
  const calls = turn.tool_calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input, null, 2)}`);
  return [turn.response, ...calls].filter((part) => part !== '').join('\n\n');
}
