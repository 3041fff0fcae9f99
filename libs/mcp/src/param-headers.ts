import { headerValue } from './header-value.js';
import { isRecord } from './rpc-message.js';

/** An argument of a tool that is sent as a header, too (specification 2026-07-28, `x-mcp-header`). */
export interface ParamHeader {
  readonly header: string;
  /** Property names from the arguments down to the value. */
  readonly path: readonly string[];
}

const KEYWORD = 'x-mcp-header';
/** RFC 9110, section 5.1: 1*tchar. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** Below these no place of the arguments is meant that is always the same. */
const SCHEMAS =
  'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems'.split(' ');
const MORE_SCHEMAS = 'propertyNames oneOf anyOf allOf not if then else'.split(' ');
const MAPS = 'patternProperties dependentSchemas $defs definitions'.split(' ');
/** What is nested deeper is not looked at. */
const maxDepth = 64;
const NONE: readonly ParamHeader[] = [];

/** The headers that a tool's input schema asks for; null: it asks in a way that is not allowed. */
export function paramHeadersIn(schema: unknown): readonly ParamHeader[] | null {
  return mentions(schema, 0) ? declarationsIn(schema) : NONE;
}

/** Most schemas have none, which is seen at a fraction of the cost. */
function mentions(node: unknown, depth: number): boolean {
  if (typeof node !== 'object' || node === null || depth > 2 * maxDepth) return false;
  if (KEYWORD in node) return true;
  for (const child of Object.values(node)) if (mentions(child, depth + 1)) return true;
  return false;
}

function declarationsIn(schema: unknown): readonly ParamHeader[] | null {
  const found: ParamHeader[] = [];
  const names = new Set<string>();
  const visit = (node: unknown, path: readonly string[], isReachable: boolean, depth: number): boolean => {
    if (!isRecord(node) || depth > maxDepth) return true;
    if (KEYWORD in node) {
      const header = node[KEYWORD];
      const isAllowed = isReachable && path.length > 0 && TYPES.includes(node['type']);
      if (!isAllowed || typeof header !== 'string' || !TOKEN.test(header)) return false;
      if (names.has(header.toLowerCase())) return false;
      names.add(header.toLowerCase());
      found.push({ header: `mcp-param-${header}`, path });
    }
    const properties = isRecord(node['properties']) ? Object.entries(node['properties']) : [];
    return (
      properties.every(([name, child]) => visit(child, [...path, name], isReachable, depth + 1)) &&
      unreachableIn(node).every((child) => visit(child, path, false, depth + 1))
    );
  };
  return visit(schema, [], true, 0) ? found : null;
}

function unreachableIn(node: Readonly<Record<string, unknown>>): unknown[] {
  const direct = [...SCHEMAS, ...MORE_SCHEMAS].flatMap((key) => node[key] ?? []);
  const mapped = MAPS.flatMap((key) => (isRecord(node[key]) ? Object.values(node[key]) : []));
  return [...direct, ...mapped];
}

/** The headers of a call; an argument that is absent, or is no text, number or truth value, has none. */
export function headersOfArguments(
  headers: readonly ParamHeader[],
  args: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { header, path } of headers) {
    const value = path.reduce<unknown>((node, name) => (isRecord(node) ? node[name] : undefined), args);
    const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
    if (isPlain) values[header] = headerValue(String(value));
  }
  return values;
}
