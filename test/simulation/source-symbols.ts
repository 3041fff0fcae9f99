import { parseSync } from '@swc/core';

/** Code in a symbol of a file, and what stands there instead: found by what it says, however it is set out. */
export interface Change {
  /** `name` of a function, a constant or a class, or `Class.member`; `constructor` is a member, too. */
  readonly symbol: string;
  /** An expression, or statements with their last semicolon, that the symbol holds once. Absent: all that stands between the braces of its body. */
  readonly find?: string;
  /** Takes its place; nothing, where it is empty. */
  readonly replace: string;
}

type Node = Readonly<Record<string, unknown>>;
/** Offsets in bytes, of a whole file. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a node stands, how it is written and what a name was resolved to: not what it says. */
const NOT_SAID: ReadonlySet<string> = new Set(['span', 'ctxt', 'raw']);
/** The parser counts through all that it was ever given: from the first token on, which is this one. */
const FIRST = ';';
const SYNTAX = { syntax: 'typescript', decorators: true, target: 'es2024' } as const;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
/** What a node has under these names, one below the other. */
const within = (node: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isNode(value) ? value[key] : undefined), node);
const spanOf = (node: Node): Span => node['span'] as Span;
const said = (node: unknown): string =>
  JSON.stringify(node, (key, value: unknown) => {
    if (key === 'spread') return value !== null;
    return NOT_SAID.has(key) ? undefined : value;
  });

/** @throws Error that names the symbol, or the code that it does not hold once */
export function changed(source: string, { symbol, find, replace }: Change): string {
  const { body, offset } = parsed(source);
  const node = symbolIn(body, symbol);
  if (node === undefined) throw new Error(`there is no ${symbol} any more`);
  const spans = find === undefined ? insideOf(node) : spansOf(node, find);
  const [span] = spans;
  if (span === undefined || spans.length > 1)
    throw new Error(`${symbol} holds "${find ?? 'a body'}" ${spans.length} times, instead of once`);
  const bytes = Buffer.from(source);
  const [start, end] = [span.start - offset, span.end - offset];
  return `${bytes.subarray(0, start).toString()}${replace}${bytes.subarray(end).toString()}`;
}

/** Whether a file declares it. */
export const hasSymbol = (source: string, symbol: string): boolean =>
  symbolIn(parsed(source).body, symbol) !== undefined;

function parsed(source: string): { readonly body: readonly Node[]; readonly offset: number } {
  const { body, span } = parseSync(FIRST + source, SYNTAX);
  return { body: nodesIn(body), offset: span.start + FIRST.length };
}

function symbolIn(body: readonly Node[], symbol: string): Node | undefined {
  const [name, member] = symbol.split('.');
  const top = body.flatMap(declarationsIn).find((node) => nameOf(node) === name);
  if (top === undefined || member === undefined) return top;
  return nodesIn(top['body']).find((node) => memberName(node) === member);
}

/** Of a statement at the top of a file, exported or not. */
function declarationsIn(node: Node): readonly Node[] {
  const declared = isNode(node['declaration']) ? node['declaration'] : node;
  return declared['type'] === 'VariableDeclaration' ? nodesIn(declared['declarations']) : [declared];
}

function nameOf(node: Node): unknown {
  const name = node['identifier'] ?? node['id'];
  return isNode(name) ? name['value'] : undefined;
}

function memberName({ type, key }: Node): unknown {
  if (type === 'Constructor') return 'constructor';
  return isNode(key) ? key['value'] : undefined;
}

/** Between the braces of a function's, a method's or an arrow's body. */
function insideOf(node: Node): readonly Span[] {
  const body = [node, node['function'], node['init'], node['value']]
    .filter(isNode)
    .map((one) => one['body'])
    .find((one) => isNode(one) && Array.isArray(one['stmts']));
  if (!isNode(body)) return [];
  const { start, end } = spanOf(body);
  return [{ start: start + 1, end: end - 1 }];
}

function spansOf(symbol: Node, find: string): readonly Span[] {
  const wanted = wantedOf(find);
  const found: Span[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) found.push(...runsOf(nodesIn(value), wanted));
    else if (isNode(value)) {
      const [only, ...others] = wanted;
      for (const child of Object.values(value))
        if (isNode(child) && others.length === 0 && said(child) === only) found.push(spanOf(child));
    } else return;
    for (const child of Object.values(value)) visit(child);
  };
  visit(symbol);
  return found;
}

/** Code as a line of nodes: one expression, or statements. */
function wantedOf(find: string): readonly string[] {
  if (find.endsWith(';')) return statementsIn(find).map(said);
  const [statement] = statementsIn(`(${find});`);
  return [said(within(statement, 'expression', 'expression'))];
}

/** As they stand in a loop within a function, for what leaves one. */
function statementsIn(code: string): readonly Node[] {
  const { body } = parsed(`async () => { for (;;) {${code}} }`);
  const arrow = body.find(({ type }) => type === 'ExpressionStatement');
  const [loop] = nodesIn(within(arrow, 'expression', 'body', 'stmts'));
  return nodesIn(within(loop, 'body', 'stmts'));
}

/** Where so many neighbours say what is wanted. */
function runsOf(nodes: readonly Node[], wanted: readonly string[]): readonly Span[] {
  const texts = nodes.map(said);
  return nodes.flatMap((first, at) => {
    const last = nodes[at + wanted.length - 1];
    if (last === undefined || !wanted.every((text, i) => texts[at + i] === text)) return [];
    return [{ start: spanOf(first).start, end: spanOf(last).end }];
  });
}
