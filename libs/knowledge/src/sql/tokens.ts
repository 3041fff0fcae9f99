import type { DatabaseKind } from '../connection-string.js';

/** A piece of SQL, as far as it must be told from others. Together they are the text. */
export interface Token {
  readonly kind: 'word' | 'string' | 'identifier' | 'number' | 'comment' | 'blank' | 'mark' | 'placeholder';
  readonly text: string;
  /** A quote or comment that is never closed. */
  readonly isOpen?: boolean;
}

/**
 * Parts SQL as the databases do: PostgreSQL with standard strings, nested comments and dollar quotes (its manual, 4.1),
 * MySQL and MariaDB with backslashes in strings and `"` for strings. A `?` is a placeholder where a value may stand, and
 * an operator (of jsonb) behind one.
 */
export function* tokens(sql: string, kind: DatabaseKind): Generator<Token> {
  let isAfterValue = false;
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at, kind, isAfterValue);
    yield token;
    at += token.text.length;
    if (token.kind !== 'blank' && token.kind !== 'comment') isAfterValue = isValue(token);
  }
}

function tokenAt(sql: string, at: number, kind: DatabaseKind, isAfterValue: boolean): Token {
  const pattern = (kind === 'postgres' ? POSTGRES : MYSQL).find(({ regex }) => {
    regex.lastIndex = at;
    return regex.test(sql);
  });
  if (pattern !== undefined) {
    pattern.regex.lastIndex = at;
    const text = pattern.regex.exec(sql)?.[0] ?? '';
    return { kind: pattern.kind, text, ...(pattern.isOpen ? { isOpen: true } : {}) };
  }
  if (kind === 'postgres' && sql.startsWith('/*', at)) return nestedComment(sql, at);
  if (kind === 'postgres' && sql[at] === '$') return dollarQuoted(sql, at);
  const isPlaceholder = sql[at] === '?' && !(kind === 'postgres' && isAfterValue);
  return { kind: isPlaceholder ? 'placeholder' : 'mark', text: sql[at] ?? '' };
}

interface Pattern {
  readonly kind: Token['kind'];
  readonly regex: RegExp;
  /** It has a beginning and no end. Stands behind the pattern that has both. */
  readonly isOpen?: true;
}

const COMMON: readonly Pattern[] = [
  { kind: 'blank', regex: /\s+/y },
  { kind: 'number', regex: /\d[\w.]*/y },
  { kind: 'word', regex: /[\p{L}_][\p{L}\p{N}_$]*/uy },
];

const POSTGRES: readonly Pattern[] = [
  { kind: 'comment', regex: /--[^\r\n]*/y },
  { kind: 'string', regex: /[eE]'(?:[^'\\]|\\[^]|'')*'/y },
  { kind: 'string', regex: /[eE]'[^]*/y, isOpen: true },
  { kind: 'string', regex: /(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*'/y },
  { kind: 'identifier', regex: /(?:[uU]&)?"(?:[^"]|"")*"/y },
  { kind: 'string', regex: /['"][^]*/y, isOpen: true },
  ...COMMON,
];

const MYSQL: readonly Pattern[] = [
  { kind: 'comment', regex: /#[^\r\n]*|--(?=[\s\p{Cc}]|$)[^\r\n]*/uy },
  { kind: 'comment', regex: /\/\*[^]*?\*\//y },
  { kind: 'comment', regex: /\/\*[^]*/y, isOpen: true },
  { kind: 'string', regex: /'(?:[^'\\]|\\[^]|'')*'/y },
  { kind: 'string', regex: /"(?:[^"\\]|\\[^]|"")*"/y },
  { kind: 'identifier', regex: /`(?:[^`]|``)*`/y },
  { kind: 'string', regex: /['"`][^]*/y, isOpen: true },
  ...COMMON,
];

function nestedComment(sql: string, at: number): Token {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = at;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return { kind: 'comment', text: sql.slice(at, marks.lastIndex) };
  }
  return { kind: 'comment', text: sql.slice(at), isOpen: true };
}

function dollarQuoted(sql: string, at: number): Token {
  const tag = /^\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/u.exec(sql.slice(at, at + 70))?.[0];
  if (tag === undefined) return { kind: 'mark', text: '$' };
  const end = sql.indexOf(tag, at + tag.length);
  if (end === -1) return { kind: 'string', text: sql.slice(at), isOpen: true };
  return { kind: 'string', text: sql.slice(at, end + tag.length) };
}

/** Words that no value ends with: what follows is one. */
const BEFORE_VALUES = new Set(
  (
    'all and any array as asc between by case cast collate cross date default desc distinct do else escape except exists ' +
    'fetch filter first following for from full group having ilike in inner insert intersect interval into is isnull join ' +
    'lateral left like limit natural next not offset on only or order outer over overlaps partition preceding range ' +
    'returning right row rows select set similar some symmetric then time timestamp timestamptz to union update using ' +
    'values when where window with xor regexp rlike div mod binary'
  ).split(' '),
);

const isValue = ({ kind, text }: Token): boolean =>
  kind === 'word'
    ? !BEFORE_VALUES.has(text.toLowerCase())
    : kind === 'mark'
      ? text === ')' || text === ']'
      : true;
