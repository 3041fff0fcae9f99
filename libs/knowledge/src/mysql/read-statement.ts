import { DatabaseRefusal } from '../callers-database.js';
import { withoutEnd } from '../sql/statement.js';
import { BEFORE_PARENTHESES, HARMLESS_FUNCTIONS } from './harmless-functions.js';
import { type Piece, piecesOf } from './query-tokens.js';

/** A statement that reads, as it is sent. */
export interface ReadStatement {
  readonly sql: string;
  readonly placeholders: number;
  /** What stands before a parenthesis. The database is asked whether one of them is a function of its own. */
  readonly called: readonly string[];
}

const MAX_CHARACTERS = 25_000;
const BEGINNINGS = new Set(['select', 'with', 'values', 'table']);
/** Reserved words of statements that do more than read. Two of them are also functions. */
const FORBIDDEN = new Set(
  (
    'alter analyze call create delete drop dumpfile grant infile insert into kill lastval load lock nextval outfile prepare ' +
    'execute procedure rename replace revoke setval unlock update'
  ).split(' '),
);

/**
 * The statement, written anew, if it is one query that calls nothing but what may read.
 * @throws DatabaseRefusal with what may not be there
 */
export function readStatement(text: string): ReadStatement {
  if (text.length > MAX_CHARACTERS) throw new DatabaseRefusal('the statement is too long');
  if (!text.isWellFormed()) throw new DatabaseRefusal('the statement holds characters that no text may hold');
  const pieces = piecesOf(withoutEnd(text));
  const beginning = pieces.find(({ text }) => text !== '(');
  if (beginning?.kind !== 'word' || !BEGINNINGS.has(beginning.text.toLowerCase()))
    throw new DatabaseRefusal('only a SELECT may be asked here');
  requireBalance(pieces);
  const called: string[] = [];
  let sql = '';
  for (const [index, piece] of pieces.entries()) {
    const before = pieces[index - 1];
    if (piece.kind === 'word') requireReading(pieces, index);
    const isCall = piece.text === '(' && before !== undefined && isName(before) && mayCall(pieces, index - 1);
    if (isCall) called.push(before.text.toLowerCase());
    sql += joint(before, piece, isCall) + piece.text;
  }
  const placeholders = pieces.filter(({ kind }) => kind === 'placeholder').length;
  return { sql, placeholders, called };
}

/** What closes a parenthesis that it did not open would leave the one that it is read in. */
function requireBalance(pieces: readonly Piece[]): void {
  let depth = 0;
  for (const { kind, text } of pieces) {
    if (kind !== 'mark') continue;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth < 0) throw new DatabaseRefusal('a parenthesis is closed that was not opened');
  }
  if (depth > 0) throw new DatabaseRefusal('a parenthesis is not closed');
}

const isName = ({ kind }: Piece): boolean => kind === 'word' || kind === 'identifier';
const wordAt = (pieces: readonly Piece[], index: number): string => {
  const piece = pieces[index];
  return piece?.kind === 'word' ? piece.text.toLowerCase() : '';
};

function requireReading(pieces: readonly Piece[], index: number): void {
  // Behind a dot it is a name.
  if (pieces[index - 1]?.text === '.') return;
  const word = wordAt(pieces, index);
  const next = wordAt(pieces, index + 1);
  const isFunction = HARMLESS_FUNCTIONS.has(word) && pieces[index + 1]?.text === '(';
  const isForbidden =
    (FORBIDDEN.has(word) && !isFunction) ||
    (word === 'set' && !/^(character|char)$/.test(wordAt(pieces, index - 1))) ||
    (word === 'for' && (next === 'update' || next === 'share')) ||
    (word === 'value' && /^(next|previous)$/.test(wordAt(pieces, index - 1)));
  if (isForbidden) throw new DatabaseRefusal(`${word.toUpperCase()} may not be used here`);
}

/** Whether the name before a parenthesis is one that is called, or one that the grammar has there. @throws DatabaseRefusal */
function mayCall(pieces: readonly Piece[], index: number): boolean {
  const word = wordAt(pieces, index);
  const before = pieces[index - 1];
  if (before?.text !== '.') {
    if (HARMLESS_FUNCTIONS.has(word)) return true;
    if (BEFORE_PARENTHESES.has(word)) return false;
    // The type of a CAST, or the name of a table with its columns.
    if (wordAt(pieces, index - 1) === 'as' || namesColumns(pieces, index)) return false;
    // = ANY (…)
    if (/^(any|some)$/.test(word) && before?.kind === 'mark' && /^(?:=|<=>|<>|!=|[<>]=?)$/.test(before.text))
      return false;
  }
  const name = pieces[index]?.text.slice(0, 100) ?? '';
  throw new DatabaseRefusal(`${name} may not be called here; what it tells can be offered as a view`);
}

/** `name (a, b) AS (`, as in WITH: nothing that is called is followed by that. */
function namesColumns(pieces: readonly Piece[], index: number): boolean {
  let at = index + 2;
  for (; pieces[at]?.text !== ')'; at++) {
    const piece = pieces[at];
    if (piece === undefined || !(isName(piece) || piece.text === ',')) return false;
  }
  return wordAt(pieces, at + 1) === 'as' && pieces[at + 2]?.text === '(';
}

/** With a blank between, some names are no longer those of built-in functions; without one, two marks may become another. */
function joint(before: Piece | undefined, { kind, text, isApart }: Piece, isCall: boolean): string {
  if (before === undefined || isCall) return '';
  if (isApart) return ' ';
  const isMark = kind === 'mark';
  if (isMark !== (before.kind === 'mark')) return '';
  const isPlain = (mark: string): boolean => /^[(),.]$/.test(mark);
  return isMark && (isPlain(text) || isPlain(before.text)) ? '' : ' ';
}
