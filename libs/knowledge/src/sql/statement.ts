import { ownCopy } from '#platform';
import type { DatabaseKind } from '../connection-string.js';
import { type Token, tokens } from './tokens.js';

/** A ready-made query, with the places where values go. */
export interface Prepared {
  /** As the database takes it: `$1`, `$2` … on PostgreSQL, `?` on MySQL. */
  readonly sql: string;
  /** What stands before each placeholder, to say what it is for. */
  readonly contexts: readonly string[];
}

/** More parameters than that no model fills in rightly. What was accepted before there was a limit may have any number. */
export const MAX_PLACEHOLDERS = 100;

/** Whether a query has more question marks than it may have placeholders: of most that is all that must be known. */
export function hasTooManyMarks(query: string): boolean {
  let count = 0;
  for (let at = query.indexOf('?'); at !== -1; at = query.indexOf('?', at + 1))
    if (++count > MAX_PLACEHOLDERS) return true;
  return false;
}

/** Whether a query has more placeholders than it may have. It is read no further than that is known. */
export function hasTooManyPlaceholders(query: string, kind: DatabaseKind): boolean {
  if (!hasTooManyMarks(query)) return false;
  let count = 0;
  for (const token of tokens(query, kind))
    if (token.kind === 'placeholder' && ++count > MAX_PLACEHOLDERS) return true;
  return false;
}

const CONTEXT = 40;
/** Of what stands before a placeholder: enough for a context, blanks and all. */
const LOOKED_AT = 400;

/** Finds the placeholders; a `?` in a string, a comment or an identifier, or as an operator, is none. */
export function prepare(query: string, kind: DatabaseKind): Prepared {
  const contexts: string[] = [];
  const sql: string[] = [];
  let before = '';
  for (const token of tokens(query, kind)) {
    const isPlaceholder = token.kind === 'placeholder';
    if (isPlaceholder) contexts.push(ownCopy(before.replace(/\s+/g, ' ').trim().slice(-CONTEXT)));
    sql.push(isPlaceholder && kind === 'postgres' ? `$${contexts.length}` : token.text);
    if (token.kind !== 'comment') before = (before + endOf(token)).slice(-LOOKED_AT);
  }
  return { sql: sql.join(''), contexts };
}

/** The end of a token, as it is told: blanks are one. */
const endOf = ({ kind, text }: Token): string => (kind === 'blank' ? ' ' : text.slice(-LOOKED_AT));

/** Without the semicolons and blanks at its end. */
export function withoutEnd(sql: string): string {
  let end = sql.length;
  while (end > 0 && END.test(sql[end - 1] ?? '')) end--;
  return sql.slice(0, end);
}

const END = /^[;\s]$/;
