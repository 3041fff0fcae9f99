import type { QueryConfig } from 'pg';

/** What is asked of an input, to be the value of a parameter. */
export type ValueOf<I> = (input: I) => unknown;

/** A piece of a statement about an input of type I. Its parameters have no numbers yet. */
export interface Sql<I> {
  readonly parts: readonly (string | ValueOf<I>)[];
}

/**
 * A statement, or a piece of one: a function in it becomes a parameter that holds what it returns, another piece stands as it
 * is. Nothing else can be put in, so that no value ever is part of the text.
 *
 *     sql<Passage>`DELETE FROM ${raw(SCHEMA)}.passages WHERE upload = ${({ upload }) => upload}`
 */
export function sql<I>(texts: TemplateStringsArray, ...between: readonly (Sql<I> | ValueOf<I>)[]): Sql<I> {
  const parts = texts.flatMap((text, index) => {
    const next = between[index];
    if (next === undefined) return [text];
    return typeof next === 'function' ? [text, next] : [text, ...next.parts];
  });
  return { parts };
}

/** A piece that is written as it is: a name or a number of ours, never a value from outside. */
export const raw = (text: string | number): Sql<unknown> => ({ parts: [String(text)] });

/**
 * Numbers the parameters: a function that stands in several places is one of them. The text is made once.
 * @param name under which a connection keeps the parsed statement; absent: it is parsed each time
 */
export function statement<I = void>({ parts }: Sql<I>, name?: string): (input: I) => QueryConfig {
  const values = [...new Set(parts.filter((part) => typeof part === 'function'))];
  const number = new Map(values.map((value, index) => [value, `$${index + 1}`]));
  const text = parts.map((part) => (typeof part === 'string' ? part : number.get(part))).join('');
  const named = name === undefined ? { text } : { name, text };
  return (input) => ({ ...named, values: values.map((value) => value(input)) });
}
