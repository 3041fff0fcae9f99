import { LENGTHS, isAtMost } from './lengths.js';

/** What is wrong with a value; `at` leads from it to the part that is wrong (`[2]`, `.X-Token`). */
export interface Fault {
  readonly message: string;
  readonly at?: string;
}

/** A JSON Schema (2020-12), as the OpenAPI description shows it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** null: nothing is wrong. */
export interface Rule {
  (value: unknown): Fault | null;
  /** What the rule takes, as far as a schema can say it; absent: anything. */
  readonly schema?: JsonSchema;
}

/** A rule and the schema that says the same. */
export const described = (schema: JsonSchema, rule: (value: unknown) => Fault | null): Rule =>
  Object.assign(rule, { schema });

const wrong = (message: string, at?: string): Fault => (at === undefined ? { message } : { message, at });

/** A string of at most `most` characters, which may be empty. */
export const text = (most: number): Rule => {
  const tooLong = wrong(`must have at most ${most} characters`);
  return described({ type: 'string', maxLength: most }, (value) =>
    typeof value !== 'string' ? wrong('must be a string') : isAtMost(most, value) ? null : tooLong,
  );
};

/** A string of one character or more, up to `most`: messages, queries. */
export const filledText = (most: number): Rule => {
  const upTo = text(most);
  return described({ ...upTo.schema, minLength: 1 }, (value) =>
    value === '' ? wrong('must not be empty') : upTo(value),
  );
};

/** Names, ids, names of keys. */
export const nameText = filledText(LENGTHS.name);
export const descriptionText = text(LENGTHS.description);
export const messageText = filledText(LENGTHS.message);

/** RFC 9110, 5.5 (field-value). */
export const headerFault = (text: string): string | null =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
    ? null
    : 'must not have line breaks or characters that headers cannot hold';

const tokenText = filledText(LENGTHS.token);

/** A string that is sent in a header. */
export const token = described(tokenText.schema ?? {}, (value) => {
  const fault = tokenText(value);
  if (fault !== null) return fault;
  const message = headerFault(value as string);
  return message === null ? null : wrong(message);
});

export const flag = described({ type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? null : wrong('must be true or false'),
);

export const oneOf = (...values: readonly string[]): Rule => {
  const known = new Set<unknown>(values);
  const fault = wrong(`must be one of ${values.join(', ')}`);
  return described({ enum: values }, (value) => (known.has(value) ? null : fault));
};

/** A whole number from `least` to `most`. */
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): Rule => {
  const fault = wrong(
    most === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`,
  );
  return described({ type: 'integer', minimum: least, maximum: most }, (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? null
      : fault,
  );
};

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const object = described({ type: 'object' }, (value) =>
  isObject(value) ? null : wrong('must be an object'),
);

/** An array of at most `most` items, each of which the rule takes. */
export const listOf = (item: Rule, most: number): Rule =>
  described({ type: 'array', items: item.schema ?? {}, maxItems: most }, (value) => {
    if (!Array.isArray(value)) return wrong('must be an array');
    if (value.length > most) return wrong(`must have at most ${most} items`);
    for (const [index, one] of value.entries()) {
      const fault = item(one);
      if (fault !== null) return wrong(fault.message, `[${index}]${fault.at ?? ''}`);
    }
    return null;
  });

/** `2026-01-31T12:00:00.123456789+01:00` */
export const MAX_TIME = 35;

/** A date, or a date and time with its offset from UTC (RFC 3339), as ms since 1970; null: it is neither. */
export function timeOf(text: string): number | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i.exec(
    text,
  );
  const time = match === null ? NaN : Date.parse(text);
  // Date.parse takes the 30th of February and means the 2nd of March.
  return Number.isNaN(time) || !isDay(match?.[1] ?? '') ? null : time;
}

function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

const timeText = text(MAX_TIME);
const NO_TIME = wrong('must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z');

/** A time as `timeOf` reads it. */
export const time = described(
  { type: 'string', minLength: 1, maxLength: MAX_TIME, examples: ['2027-01-31T12:00:00Z'] },
  (value) => {
    if (typeof value !== 'string') return NO_TIME;
    return timeText(value) ?? (timeOf(value) === null ? NO_TIME : null);
  },
);

const urlText = text(LENGTHS.url);
const URL_SCHEMA = { ...urlText.schema, format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' };

/** An absolute http or https URL. */
export const httpUrl = described(URL_SCHEMA, (value) => {
  const fault = urlText(value);
  if (fault !== null || typeof value !== 'string') return fault;
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    return wrong('must be an http or https URL');
  }
  return null;
});

/** Like httpUrl, without a user or a password in it. */
export const httpUrlWithoutCredentials = described(URL_SCHEMA, (value) => {
  const fault = httpUrl(value);
  if (fault !== null || typeof value !== 'string') return fault;
  const { username, password } = new URL(value);
  return username === '' && password === '' ? null : wrong('must not hold credentials; send them in headers');
});

const MAX_SECONDS = 31_536_000;
const secondsAhead = wholeNumber(1, MAX_SECONDS);
const scheduleText = filledText(LENGTHS.schedule);

/** Seconds from now, or a date or cron expression, whose syntax is looked at later. */
export const schedule = described(
  { anyOf: [secondsAhead.schema ?? {}, scheduleText.schema ?? {}] },
  (value) =>
    typeof value === 'number'
      ? secondsAhead(value)
      : typeof value === 'string'
        ? scheduleText(value)
        : wrong('must be a number of seconds, a date or a cron expression'),
);
