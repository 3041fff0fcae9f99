import type { ModelParameter } from '#platform';
import type { PlainLevel } from './plain-tools.js';

/** A field that a server misses in the messages of others, and that may stand there for show. */
export type Fill = 'reasoning_content' | 'thought_signature';

/** How a request is written for a server and a model: as it was meant, but for what the server has refused. */
export interface RequestForm {
  readonly omit: ReadonlySet<ModelParameter>;
  /** Instead of a value of `reasoning_effort`. */
  readonly efforts: Readonly<Record<string, string>>;
  readonly isStrictOrder: boolean;
  /** Calls and their results are told in words: the model's template knows of none. */
  readonly isInWords: boolean;
  /** Ids of calls are of nine letters and digits. */
  readonly hasShortIds: boolean;
  /** Fields that the server sends and does not take back. */
  readonly withoutFields: ReadonlySet<string>;
  readonly fills: ReadonlySet<Fill>;
  readonly maxTools: number;
  /** Tools whose schema is not taken as it is, by the key of the schema. */
  readonly plain: ReadonlyMap<string, PlainLevel>;
  /** A tool is forced by `required`, and offered alone. */
  readonly isRequired: boolean;
  /** With `response_format` no tools are offered. */
  readonly isFormatAlone: boolean;
  /** Forms of output that were refused: see `outputKey`. */
  readonly refused: ReadonlySet<string>;
  /** The model takes no images. */
  readonly isBlind: boolean;
  /** Ids of images that it did not take. */
  readonly withoutImages: ReadonlySet<string>;
  /** Answers of the model begin inside of thinking. */
  readonly beginsInside: boolean;
}

export const AS_MEANT: RequestForm = {
  omit: new Set(),
  efforts: {},
  isStrictOrder: false,
  isInWords: false,
  hasShortIds: false,
  withoutFields: new Set(),
  fills: new Set(),
  maxTools: Infinity,
  plain: new Map(),
  isRequired: false,
  isFormatAlone: false,
  refused: new Set(),
  isBlind: false,
  withoutImages: new Set(),
  beginsInside: false,
};

/** Of what there is no end: the newest of these. */
const maxKept = 500;

export function withMore<T>(set: ReadonlySet<T>, ...values: readonly T[]): ReadonlySet<T> {
  return new Set([...set, ...values].slice(-maxKept));
}

export function withLevel(
  map: RequestForm['plain'],
  keys: readonly string[],
  level: PlainLevel,
): RequestForm['plain'] {
  const all = new Map(map);
  for (const key of keys) {
    all.delete(key);
    all.set(key, level);
  }
  return new Map([...all].slice(-maxKept));
}
