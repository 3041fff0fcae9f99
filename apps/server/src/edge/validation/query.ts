import type { FieldError } from '#domain';
import { LENGTHS, isAtMost } from './lengths.js';
import { type JsonSchema, MAX_TIME, timeOf } from './rules.js';
import { invalidFields } from '../problems/invalid-fields.js';

/** Reads one query parameter, or its absence. @throws WrongParameter */
export interface Parameter<T> {
  (text: string | undefined): T;
  /** What it takes, for the description of the interface. */
  readonly schema: JsonSchema;
  readonly isRequired?: boolean;
}
type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** Reads the query string of a route. */
export interface QueryReader<P extends Parameters> {
  (raw: unknown): QueryOf<P>;
  readonly parameters: P;
}
export type QueryOf<P extends Parameters> = { readonly [K in keyof P]: ReturnType<P[K]> };

class WrongParameter extends Error {
  override readonly name = 'WrongParameter';
}

/**
 * A reader of query strings: what is unknown, repeated or wrong is refused, naming it.
 * @throws (the reader) Problem invalid_request
 */
export function query<P extends Parameters>(parameters: P): QueryReader<P> {
  const read = (raw: unknown): QueryOf<P> => {
    const given = (raw ?? {}) as Readonly<Record<string, unknown>>;
    const errors: FieldError[] = [];
    for (const path in given) {
      if (!Object.hasOwn(parameters, path))
        errors.push({ path: path.slice(0, 100), message: 'is not a known parameter' });
      else if (typeof given[path] !== 'string') errors.push({ path, message: 'must be given once' });
    }
    const values: Record<string, unknown> = {};
    for (const [path, parameter] of errors.length > 0 ? [] : Object.entries(parameters)) {
      try {
        values[path] = parameter(given[path] as string | undefined);
      } catch (error) {
        if (!(error instanceof WrongParameter)) throw error;
        errors.push({ path, message: error.message });
      }
    }
    if (errors.length > 0) throw invalidFields(errors);
    return values as QueryOf<P>;
  };
  return Object.assign(read, { parameters });
}

const optional = <T>(schema: JsonSchema, read: (text: string) => T): Parameter<T | undefined> =>
  Object.assign((text: string | undefined) => (text === undefined ? undefined : read(text)), { schema });

const filled =
  (most: number) =>
  (text: string): string => {
    if (text === '') throw new WrongParameter('must not be empty');
    if (!isAtMost(most, text)) throw new WrongParameter(`must have at most ${most} characters`);
    if (text.includes('\0')) throw new WrongParameter('must not contain U+0000');
    return text;
  };

const filledSchema = (most: number): JsonSchema => ({ type: 'string', minLength: 1, maxLength: most });

const optionalText = (most: number) => optional(filledSchema(most), filled(most));

export const optionalId = optionalText(LENGTHS.name);

/** Of a browser, which cannot send headers with an `EventSource`. Whoever comes in was asked for it already. */
export const optionalToken = optionalText(LENGTHS.cursor);

const readId = filled(LENGTHS.name);

export const requiredId: Parameter<string> = Object.assign(
  (text: string | undefined) => {
    if (text === undefined) throw new WrongParameter('is required');
    return readId(text);
  },
  { schema: filledSchema(LENGTHS.name), isRequired: true },
);

export const optionalOneOf = <T extends string>(...values: readonly T[]): Parameter<T | undefined> =>
  optional({ enum: values }, (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new WrongParameter(`must be one of ${values.join(', ')}`);
    return found;
  });

const revision = (text: string): number => {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(value))
    throw new WrongParameter('must be the id of an event: a whole number, 0 or more');
  return value;
};

/** `after`: an event's id, exclusive. */
export const optionalRevision = optional(
  { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  revision,
);

export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

export const limit: Parameter<number> = Object.assign(
  (text: string | undefined = String(DEFAULT_LIMIT)) => {
    const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > MAX_LIMIT)
      throw new WrongParameter(`must be a whole number from 1 to ${MAX_LIMIT}`);
    return value;
  },
  { schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT } },
);

/** A date, or a date and time with its offset from UTC (RFC 3339), as milliseconds since 1970. */
export const optionalDate = optional(
  { type: 'string', maxLength: MAX_TIME, examples: ['2026-01-31', '2026-01-31T12:00:00Z'] },
  (text) => {
    const time = timeOf(text);
    if (time === null)
      throw new WrongParameter('must be a date or a time: 2026-01-31 or 2026-01-31T12:00:00Z');
    return time;
  },
);

/** Every list's parameters. */
export const PAGE = { limit, cursor: optionalText(LENGTHS.cursor) };

/** `Last-Event-ID`. @throws Problem invalid_request naming the header */
export function parseLastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  try {
    return revision(String(header));
  } catch (error) {
    if (!(error instanceof WrongParameter)) throw error;
    throw invalidFields([{ path: 'Last-Event-ID', message: error.message }]);
  }
}
