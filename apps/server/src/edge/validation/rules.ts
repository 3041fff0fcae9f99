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

/** RFC 9110, 5.5 (field-value). */
export const headerFault = (text: string): string | null =>
  /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
    ? null
    : 'must not have line breaks or characters that headers cannot hold';

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
