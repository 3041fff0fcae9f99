import { DatabaseRefusal } from '../callers-database.js';

/** A piece of a statement, written so that every server reads it alike. */
export interface Piece {
  readonly kind: 'word' | 'identifier' | 'string' | 'number' | 'mark' | 'placeholder' | 'variable';
  /** As it is sent. Words as they came, identifiers in backticks, strings in single quotes without a backslash. */
  readonly text: string;
  /** A blank or a comment stood before it. */
  readonly isApart: boolean;
}

const BLANKS = /[ \t\r\n\f\v]+/y;
const COMMENT = /(?:#|--(?=[ \t\r\n\f\v]|$))[^\r\n]*/y;
const WORD = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy;
const NUMBER = /(?:0x[0-9a-fA-F]+|0b[01]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\p{L}\p{M}\p{N}_$])/uy;
const VARIABLE = /@@(?:(?:session|global|local)\.)?[a-z_][a-z0-9_]*(?![\p{L}\p{M}\p{N}_$.])/iuy;
const MARK = /<=>|->>|->|<<|>>|<=|>=|<>|!=|\|\||&&|[-+*/%=<>!|&^~(),.]/y;
const ASCII_WORD = /^[A-Za-z0-9_$]+$/;
// eslint-disable-next-line no-control-regex
const ODD = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|[\u{10000}-\u{10ffff}]/u;
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\x1a',
};

/**
 * Takes a statement apart and writes each piece anew, comments left out. The server gets these pieces and never the text:
 * where its comments, strings and names would end is no question then. @throws DatabaseRefusal
 */
export function piecesOf(sql: string): Piece[] {
  const pieces: Piece[] = [];
  let isApart = false;
  for (let at = 0; at < sql.length;) {
    const skipped = skippedAt(sql, at);
    if (skipped > at) {
      [at, isApart] = [skipped, true];
      continue;
    }
    const { kind, text, end } = pieceAt(sql, at, pieces.at(-1));
    pieces.push({ kind, text, isApart });
    [at, isApart] = [end, false];
  }
  return pieces;
}

/** Behind the blanks or the comment that begin here. */
function skippedAt(sql: string, at: number): number {
  const end = Math.max(endOf(BLANKS, sql, at), endOf(COMMENT, sql, at));
  if (end > at || !sql.startsWith('/*', at)) return end;
  if (/^\/\*M?!/.test(sql.slice(at, at + 4)))
    throw new DatabaseRefusal('comments with code in them are not allowed');
  const close = sql.indexOf('*/', at + 2);
  if (close === -1) throw new DatabaseRefusal('a comment is not closed');
  return close + 2;
}

interface Found {
  readonly kind: Piece['kind'];
  readonly text: string;
  readonly end: number;
}

function pieceAt(sql: string, at: number, before: Piece | undefined): Found {
  const first = sql[at];
  if (first === "'" || first === '"') return stringAt(sql, at);
  if (first === '`') return identifierAt(sql, at);
  if (first === '?') return { kind: 'placeholder', text: '?', end: at + 1 };
  const isAttribute = before?.text === '.';
  const number = isAttribute ? at : endOf(NUMBER, sql, at);
  if (number > at) return { kind: 'number', text: sql.slice(at, number), end: number };
  const word = endOf(WORD, sql, at);
  if (word > at) return wordAt(sql, at, word);
  const variable = endOf(VARIABLE, sql, at);
  if (variable > at) return { kind: 'variable', text: sql.slice(at, variable), end: variable };
  const mark = endOf(MARK, sql, at);
  if (mark > at) return { kind: 'mark', text: sql.slice(at, mark), end: mark };
  if (first === ';') throw new DatabaseRefusal('one statement at a time');
  throw new DatabaseRefusal(`${named(sql, at)} may stand in a string only`);
}

/** With what it introduces, where it does: `x'41'`, `b'01'`, `n'text'`. */
function wordAt(sql: string, at: number, end: number): Found {
  const text = sql.slice(at, end);
  if (sql[end] === "'" && /^[xbn]$/i.test(text)) {
    const string = stringAt(sql, end);
    if (/^n$/i.test(text)) return string;
    if (!/^'[0-9a-fA-F]*'$/.test(string.text)) throw new DatabaseRefusal(`${text}'…' must hold digits`);
    return { ...string, text: text + string.text };
  }
  return ASCII_WORD.test(text)
    ? { kind: 'word', text, end }
    : { kind: 'identifier', text: quoted(text), end };
}

/** The backslash means what it means by default: the session's mode is set so. */
function stringAt(sql: string, at: number): Found {
  const quote = sql[at];
  let value = '';
  for (let i = at + 1; i < sql.length; i++) {
    const character = sql[i] ?? '';
    const next = sql[i + 1] ?? '';
    if (character === '\\') {
      // These two stay as they are: they are for LIKE.
      value += next === '%' || next === '_' ? `\\${next}` : (ESCAPES[next] ?? next);
      i += 1;
    } else if (character !== quote) value += character;
    else if (next === quote) {
      value += quote;
      i += 1;
    } else return { kind: 'string', text: literal(value), end: i + 1 };
  }
  throw new DatabaseRefusal('a string is not closed');
}

/** A backslash would be read by the server's mode. */
function literal(value: string): string {
  if (!/[\\\0]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `_utf8mb4 X'${Buffer.from(value, 'utf8').toString('hex')}'`;
}

function identifierAt(sql: string, at: number): Found {
  for (let i = at + 1; i < sql.length; i++) {
    if (sql[i] !== '`') continue;
    if (sql[i + 1] === '`') i += 1;
    else return { kind: 'identifier', text: quoted(sql.slice(at + 1, i).replaceAll('``', '`')), end: i + 1 };
  }
  throw new DatabaseRefusal('a name in backticks is not closed');
}

function quoted(name: string): string {
  if (name === '' || ODD.test(name))
    throw new DatabaseRefusal('a name holds characters that no name may hold');
  return `\`${name.replaceAll('`', '``')}\``;
}

function endOf(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : at;
}

function named(sql: string, at: number): string {
  const code = sql.codePointAt(at) ?? 0;
  return code > 0x20 && code < 0x7f
    ? String.fromCodePoint(code)
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
