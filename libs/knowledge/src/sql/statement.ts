import type { DatabaseKind } from '../connection-string.js';
import { tokensOf } from './tokens.js';

/** A ready-made query, with the places where values go. */
export interface Prepared {
  /** As the database takes it: `$1`, `$2` … on PostgreSQL, `?` on MySQL. */
  readonly sql: string;
  /** What stands before each placeholder, to say what it is for. */
  readonly contexts: readonly string[];
}

const CONTEXT = 40;

/** Finds the placeholders; a `?` in a string, a comment or an identifier, or as an operator, is none. */
export function prepare(query: string, kind: DatabaseKind): Prepared {
  const contexts: string[] = [];
  let [sql, before] = ['', ''];
  for (const token of tokensOf(query, kind)) {
    const isPlaceholder = token.kind === 'placeholder';
    if (isPlaceholder) contexts.push(before.replace(/\s+/g, ' ').trim().slice(-CONTEXT));
    sql += isPlaceholder && kind === 'postgres' ? `$${contexts.length}` : token.text;
    if (token.kind !== 'comment') before += token.text;
  }
  return { sql, contexts };
}

/**
 * What keeps a MySQL statement from being read in parentheses as the one expression that it claims to be, or null: a
 * parenthesis that closes what it did not open, a comment or string that swallows what follows, code in a comment.
 */
export function enclosureFault(sql: string): string | null {
  let depth = 0;
  const tokens = tokensOf(withoutEnd(sql), 'mysql');
  for (const { kind, text, isOpen } of tokens) {
    if (isOpen) return 'a string or comment is not closed';
    if (kind === 'comment' && /^\/\*M?!/.test(text)) return 'comments with code in them are not allowed';
    if (kind !== 'mark') continue;
    if (text === ';') return 'one statement at a time';
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth < 0) return 'a parenthesis is closed that was not opened';
  }
  return depth === 0 ? null : 'a parenthesis is not closed';
}

/** Without the semicolons and blanks at its end. */
export const withoutEnd = (sql: string): string => sql.replace(/[;\s]+$/, '');
