import { createRequire } from 'node:module';
import { DatabaseRefusal } from '../callers-database.js';

/** What the grammar made of a piece of a statement: its fields, by their names. */
export type Tree = Readonly<Record<string, unknown>>;

/** libpg-query: PostgreSQL's own parser (its version 18), as WebAssembly. */
interface Parser {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _wasm_parse_query_raw(text: number): number;
  _wasm_free_parse_result(result: number): void;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, at: number, bytes: number): void;
  UTF8ToString(at: number): string;
  getValue(at: number, type: 'i32'): number;
}

/** A ready-made query has 20,000 characters at most; its placeholders grow a little. */
const MAX_CHARACTERS = 25_000;
/** Beyond what it starts with: it never gives memory back. */
const MAX_GROWTH = 128 * 1024 * 1024;
const PARSER = 'libpg-query/wasm/libpg-query.js';
const WORD = 4;

let parser: Promise<Parser> | null = null;
let initialBytes = 0;

/**
 * The statements of a text, as PostgreSQL itself reads them: the same lexer and grammar, so that a string, a comment or a
 * name ends here where it ends there. @throws DatabaseRefusal
 */
export async function parseStatements(sql: string): Promise<readonly Tree[]> {
  if (sql.length > MAX_CHARACTERS) throw new DatabaseRefusal('the statement is too long');
  if (sql.includes('\0') || !sql.isWellFormed())
    throw new DatabaseRefusal('the statement holds characters that no text may hold');
  const own = await loaded();
  try {
    return parse(own, sql);
  } catch (error) {
    if (error instanceof DatabaseRefusal) throw error;
    // Its stack ran over, or its memory ran out. What state that left it in nobody knows: the next gets another.
    forget();
    throw new DatabaseRefusal('the statement is too deeply nested');
  } finally {
    if (own.HEAPU8.length > initialBytes + MAX_GROWTH) forget();
  }
}

/** Loaded for the first statement: most processes never need it. */
async function loaded(): Promise<Parser> {
  parser ??= (createRequire(import.meta.url)(PARSER) as () => Promise<Parser>)();
  const own = await parser;
  initialBytes ||= own.HEAPU8.length;
  return own;
}

function forget(): void {
  parser = null;
}

/** Follows PgQueryParseResult of libpg_query: the tree, what was written to stderr, the error. */
function parse(own: Parser, sql: string): readonly Tree[] {
  const bytes = own.lengthBytesUTF8(sql) + 1;
  const text = own._malloc(bytes);
  own.stringToUTF8(sql, text, bytes);
  const result = own._wasm_parse_query_raw(text);
  const word = (at: number, index: number): number => own.getValue(at + WORD * index, 'i32');
  const error = word(result, 2);
  if (error !== 0) {
    const message = own.UTF8ToString(word(error, 0));
    const position = word(error, 4);
    own._wasm_free_parse_result(result);
    own._free(text);
    throw new DatabaseRefusal(syntaxError(message, position));
  }
  const tree = own.UTF8ToString(word(result, 0));
  own._wasm_free_parse_result(result);
  own._free(text);
  const { stmts = [] } = JSON.parse(tree) as { stmts?: readonly { stmt?: Tree }[] };
  return stmts.map(({ stmt }) => stmt ?? {});
}

function syntaxError(message: string, position: number): string {
  if (message.startsWith('memory exhausted')) return 'the statement is too deeply nested';
  const place = position > 0 ? ` at character ${position}` : '';
  return `${message.slice(0, 500)}${place} (only what PostgreSQL 18 and earlier can read may be asked here)`;
}
