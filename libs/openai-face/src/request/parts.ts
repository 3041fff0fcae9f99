import type { AskedPart } from './asked-item.js';
import { pathTo, requireLength, unsupportedAt } from './fields.js';
import { MOST } from './limits.js';
import { refused } from './refusals.js';

/** Content that is a string, or an array of parts that each have a type. @throws Problem naming the part */
export function partsIn(
  content: unknown,
  path: string,
  partOf: (part: unknown, path: string) => AskedPart,
): readonly AskedPart[] {
  if (typeof content === 'string') {
    requireLength(content, path, { max: MOST.text });
    return [{ kind: 'text', text: content }];
  }
  if (!Array.isArray(content))
    throw refused('invalid_type', path, `${path}: must be a string, or an array of parts`);
  if (content.length > MOST.parts)
    throw refused('invalid_value', path, `${path}: must have at most ${MOST.parts} parts`);
  return content.map((part: unknown, at) => partOf(part, pathTo(path, at)));
}

/** What they say in words. */
export const wordsOf = (parts: readonly AskedPart[]): string =>
  parts.map((part) => (part.kind === 'text' ? (part.text as string) : '')).join('');

export const typeOf = (part: unknown): unknown => (part as { readonly type?: unknown } | null)?.type;

/**
 * Looks at the type before the other fields: those of a type that is not here are not known either, and are not what is
 * wrong. @throws Problem unsupported_value
 */
export function refuseOtherTypes(value: unknown, path: string, types: readonly string[]): void {
  const type = typeOf(value);
  if (typeof type === 'string' && !types.includes(type)) unsupportedAt(`${path}.type`, type);
}

/** Of a part or an item. @throws Problem always */
export function unsupportedType(part: unknown, path: string): never {
  const [type, at] = [typeOf(part), `${path}.type`];
  if (type === undefined)
    throw refused('missing_required_parameter', at, `Missing required parameter: '${at}'.`);
  return unsupportedAt(at, type);
}
