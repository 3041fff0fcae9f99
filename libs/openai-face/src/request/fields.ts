import { refused } from './refusals.js';

/** A part of a body, what was left out or null taken away, and where it stands. */
export interface Fields {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Names {
  readonly known: readonly string[];
  /** What OpenAI has and we have not. */
  readonly unsupported?: readonly string[];
  /** Taken and dropped, whatever they are. */
  readonly dropped?: readonly string[];
  /** Taken and dropped where they are null or false. */
  readonly empty?: readonly string[];
}

export const pathTo = (path: string, name: string | number): string =>
  typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;

const MAX_SHOWN = 100;

/** @throws Problem naming the field that is not known, not supported, or no object */
export function fieldsOf(value: unknown, path: string, names: Names): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused('invalid_type', path === '' ? null : path, `${path || 'the body'}: must be an object`);
  const { known, unsupported = [], dropped = [], empty = [] } = names;
  const values: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const at = pathTo(path, name.slice(0, MAX_SHOWN));
    const isNothing = given === null || given === undefined;
    if (known.includes(name)) {
      if (!isNothing) values[name] = given;
    } else if (unsupported.includes(name) || empty.includes(name)) {
      const isEmpty = isNothing || (empty.includes(name) && given === false);
      if (!isEmpty) throw refused('unsupported_parameter', at, `Unsupported parameter: '${at}'.`);
    } else if (!dropped.includes(name)) throw refused('unknown_parameter', at, `Unknown parameter: '${at}'.`);
  }
  return { path, values };
}

/** Whatever it has. @throws Problem where it is no object */
export const anyFields = (value: unknown, path: string): Fields =>
  fieldsOf(value, path, { known: Object.keys(Object(value) as object) });

export const has = ({ values }: Fields, name: string): boolean => Object.hasOwn(values, name);

const at = ({ path }: Fields, name: string): string => pathTo(path, name);

export function missing(fields: Fields, name: string): never {
  throw refused(
    'missing_required_parameter',
    at(fields, name),
    `Missing required parameter: '${at(fields, name)}'.`,
  );
}

function wrong(fields: Fields, name: string, type: string): never {
  throw refused('invalid_type', at(fields, name), `${at(fields, name)}: must be ${type}`);
}

export interface TextTerms {
  /** Unicode code points. */
  readonly max: number;
  readonly min?: number;
}

export function textIn(fields: Fields, name: string, terms: TextTerms): string | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') wrong(fields, name, 'a string');
  requireLength(value, at(fields, name), terms);
  return value;
}

export function requireLength(text: string, path: string, { min = 0, max }: TextTerms): void {
  // No text has more code points than UTF-16 units.
  const length = text.length <= max ? text.length : Array.from(text).length;
  if (length < min) throw refused('invalid_value', path, `${path}: must not be empty`);
  if (length > max) throw refused('invalid_value', path, `${path}: must have at most ${max} characters`);
}

export const requiredText = (fields: Fields, name: string, terms: TextTerms): string =>
  textIn(fields, name, terms) ?? missing(fields, name);

export function flagIn(fields: Fields, name: string): boolean | undefined {
  const value = fields.values[name];
  if (value === undefined || typeof value === 'boolean') return value;
  return wrong(fields, name, 'true or false');
}

export interface NumberTerms {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: true;
}

export function numberIn(
  fields: Fields,
  name: string,
  { min, max, isWhole }: NumberTerms,
): number | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || (isWhole && !Number.isInteger(value)))
    return wrong(fields, name, isWhole ? 'a whole number' : 'a number');
  if (value >= min && value <= max) return value;
  throw refused('invalid_value', at(fields, name), `${at(fields, name)}: must be from ${min} to ${max}`);
}

/** One of these. @throws Problem unsupported_value */
export function oneOf<T extends string>(fields: Fields, name: string, values: readonly T[]): T | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return wrong(fields, name, 'a string');
  if ((values as readonly string[]).includes(value)) return value as T;
  return unsupportedValue(fields, name, value);
}

export const unsupportedValue = (fields: Fields, name: string, value: unknown): never =>
  unsupportedAt(at(fields, name), value);

export function unsupportedAt(path: string, value: unknown): never {
  const shown = (JSON.stringify(value) ?? '').slice(0, MAX_SHOWN);
  throw refused('unsupported_value', path, `${path}: ${shown} is not supported`);
}

export function listIn(fields: Fields, name: string, max: number): readonly unknown[] | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return wrong(fields, name, 'an array');
  if (value.length <= max) return value as readonly unknown[];
  throw refused('invalid_value', at(fields, name), `${at(fields, name)}: must have at most ${max} entries`);
}

export function objectIn(fields: Fields, name: string): object | undefined {
  const value = fields.values[name];
  if (value === undefined) return undefined;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return wrong(fields, name, 'an object');
}

/** Texts of a list. */
export function textsIn(
  fields: Fields,
  name: string,
  most: number,
  terms: TextTerms,
): readonly string[] | undefined {
  return listIn(fields, name, most)?.map((value, index) => {
    const path = pathTo(at(fields, name), index);
    if (typeof value !== 'string') throw refused('invalid_type', path, `${path}: must be a string`);
    requireLength(value, path, terms);
    return value;
  });
}
