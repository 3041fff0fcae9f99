import { DatabaseRefusal } from '../callers-database.js';
import { HARMLESS_CATALOG, HARMLESS_FUNCTIONS } from './harmless-functions.js';
import { ALLOWED, CALLED_LATER } from './statement-grammar.js';
import { type Tree, parseStatements } from './statement-parser.js';

/** Names in a statement behind which the database may have functions of its own. It is asked before the statement is run. */
export interface StatementNames {
  readonly functions: ReadonlySet<string>;
  /** `x.name` is a call of the function `name` where x has no such column. */
  readonly attributes: ReadonlySet<string>;
  readonly operators: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
}

/**
 * What a text names, if it is one query that consists of nothing but what may read.
 * @throws DatabaseRefusal with what may not be there
 */
export async function readStatement(sql: string): Promise<StatementNames> {
  const statements = await parseStatements(sql);
  const [statement] = statements;
  if (statements.length > 1) throw new DatabaseRefusal('one statement at a time');
  if (statement === undefined || !Object.hasOwn(statement, 'SelectStmt'))
    throw new DatabaseRefusal('only a SELECT may be asked here');
  return new Reading().read(statement);
}

class Reading implements StatementNames {
  readonly functions = new Set<string>();
  readonly attributes = new Set<string>();
  /** USING, CASE and IN compare, too. */
  readonly operators = new Set(['=']);
  readonly types = new Set<string>();
  /** Kinds and nodes yet to be looked at; no recursion, whatever the depth. */
  private readonly ahead: (readonly [string, Tree])[] = [];

  read(statement: Tree): StatementNames {
    this.find(statement);
    for (let next = this.ahead.pop(); next !== undefined; next = this.ahead.pop()) this.look(...next);
    return this;
  }

  private look(kind: string, node: Tree): void {
    const fields = ALLOWED.get(kind);
    if (fields === undefined) throw new DatabaseRefusal(`${wordsOf(kind)} may not be used here`);
    this.note(kind, node);
    for (const [name, value] of Object.entries(node)) {
      const holds = fields.get(name);
      if (holds === undefined) throw new DatabaseRefusal(`${wordsOf(name)} may not be used here`);
      if (holds === '') this.find(value);
      else this.ahead.push([holds, value as Tree]);
    }
  }

  private find(value: unknown): void {
    if (Array.isArray(value)) for (const item of value as readonly unknown[]) this.find(item);
    else if (typeof value === 'object' && value !== null)
      for (const [kind, node] of Object.entries(value)) this.ahead.push([kind, node as Tree]);
  }

  private note(kind: string, node: Tree): void {
    for (const name of CALLED_LATER.get(kind) ?? []) this.functions.add(name);
    if (kind === 'FuncCall') this.noteCall(namesOf(node['funcname']));
    if (kind === 'ColumnRef') this.noteAttributes(namesOf(node['fields']).slice(1));
    if (kind === 'A_Indirection') this.noteAttributes(namesOf(node['indirection']));
    if (kind === 'A_Expr') this.noteOperator(String(node['kind']), namesOf(node['name']));
    if (kind === 'SubLink') this.noteOperator('', namesOf(node['operName']));
    if (kind === 'SortBy') this.noteOperator('', namesOf(node['useOp']));
    if (kind === 'TypeName') this.noteType(namesOf(node['names']));
    if (kind === 'RangeVar') requireRelation(node);
    if (kind === 'RangeTableSample') requireSample(namesOf(node['method']));
  }

  private noteCall(names: readonly string[]): void {
    const [name = '', ...more] = names;
    if (more.length === 0) this.functions.add(name);
    else if (name !== 'pg_catalog' || more.length > 1 || !HARMLESS_FUNCTIONS.has(more[0] ?? ''))
      throw mayNotBeCalled(names.join('.'));
  }

  private noteAttributes(names: readonly string[]): void {
    for (const name of names) this.attributes.add(name);
  }

  private noteOperator(kind: string, names: readonly string[]): void {
    const [name = '', ...more] = names;
    if (more.length > 0 && name !== 'pg_catalog')
      throw new DatabaseRefusal(`the operator ${names.join('.')} may not be used here`);
    // BETWEEN stands there by its name.
    if (kind.includes('BETWEEN')) for (const used of ['<', '<=', '>', '>=']) this.operators.add(used);
    else if (more.length === 0 && names.length > 0) this.operators.add(name);
  }

  private noteType(names: readonly string[]): void {
    this.types.add(names.at(-1) ?? '');
  }
}

/** A table or view of the caller's own is his; of the server's, those that hold what the database does. */
function requireRelation({ schemaname, relname }: Tree): void {
  const name = String(relname);
  const isCatalog = schemaname === 'pg_catalog' || (schemaname === undefined && name.startsWith('pg_'));
  if ((isCatalog && !HARMLESS_CATALOG.has(name)) || schemaname === 'pg_toast')
    throw new DatabaseRefusal(`${name} may not be read here`);
}

function requireSample(names: readonly string[]): void {
  const name = names.join('.');
  if (name !== 'system' && name !== 'bernoulli') throw mayNotBeCalled(name);
}

export const mayNotBeCalled = (name: string): DatabaseRefusal =>
  new DatabaseRefusal(`${name.slice(0, 100)} may not be called here; what it tells can be offered as a view`);

/** The strings of a list of names; a star is none. */
function namesOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly { String?: { sval?: string } }[]).flatMap(({ String: text }) =>
    text === undefined ? [] : [text.sval ?? ''],
  );
}

const WORDS: Readonly<Record<string, string>> = {
  intoClause: 'INTO',
  lockingClause: 'FOR UPDATE or FOR SHARE',
  InsertStmt: 'INSERT',
  UpdateStmt: 'UPDATE',
  DeleteStmt: 'DELETE',
  MergeStmt: 'MERGE',
  XmlExpr: 'XML',
  XmlSerialize: 'XML',
  RangeTableFunc: 'XMLTABLE',
  SetToDefault: 'DEFAULT',
};

const wordsOf = (kind: string): string => (Object.hasOwn(WORDS, kind) ? (WORDS[kind] ?? kind) : kind);
