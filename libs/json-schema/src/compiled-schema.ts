import type { ErrorObject, ValidateFunction } from 'ajv';
import { lossyNumberFault } from '#domain/browser';
import { jsonIn } from './json-in-text.js';
import type { Patterns } from './patterns.js';
import { TookTooLong, withinTime } from './within-time.js';
import { MAX_ERRORS, TOO_LONG, type Validation } from './validation.js';

/** Longest text (UTF-16 units) that is validated. */
const MAX_TEXT = 1024 * 1024;
const MAX_ERROR = 300;
/** Deepest nesting of arrays and objects, so that any JSON writer can handle the value. */
const MAX_VALUE_DEPTH = 64;
/** CPU time limit of one validation (ms). */
const VALIDATE_MS = 1_500;

/** A compiled schema, which validates values. */
export class CompiledSchema {
  constructor(
    private readonly check: ValidateFunction,
    private readonly patterns: Patterns,
    /** Whether the schema's own type is a string, so that text need not be JSON. */
    private readonly takesText: boolean,
    /** What compiling it cost. */
    readonly subschemas: number,
  ) {}

  validate(value: unknown): Validation {
    if (isDeeperThan(value, MAX_VALUE_DEPTH))
      return { ok: false, errors: [`it is nested deeper than ${MAX_VALUE_DEPTH} levels`] };
    const found = this.checked(value);
    if (found !== TOO_LONG || this.patterns.costly.length === 0) return found;
    this.patterns.isWithoutCostly = true;
    try {
      const without = this.checked(value);
      return without.ok ? { ...without, unchecked: this.patterns.costly } : without;
    } finally {
      this.patterns.isWithoutCostly = false;
    }
  }

  /** Validates a model's output: JSON, plain, in a code fence, or with prose around it. */
  validateText(text: string): Validation {
    if (text.length > MAX_TEXT) return { ok: false, errors: [`it is longer than ${MAX_TEXT} characters`] };
    let first: Validation | null = null;
    for (const { json, value } of jsonIn(text)) {
      const fault = lossyNumberFault(json);
      const found = fault === null ? this.validate(value) : { ok: false as const, errors: [fault] };
      if (found.ok || found === TOO_LONG) return found;
      first ??= found;
    }
    if (this.takesText) {
      const found = this.validate(text);
      if (found.ok || first === null) return found;
    }
    return first ?? { ok: false, errors: ['it is not valid JSON'] };
  }

  private checked(value: unknown): Validation {
    const { check } = this;
    try {
      if (withinTime(VALIDATE_MS, () => check(value))) return { ok: true, value };
      return { ok: false, errors: messagesOf(check.errors ?? []) };
    } catch (error) {
      if (!(error instanceof TookTooLong) && !(error instanceof RangeError)) throw error;
      return TOO_LONG;
    }
  }
}

function messagesOf(errors: readonly ErrorObject[]): string[] {
  const messages = new Set<string>();
  for (const error of errors) {
    messages.add(messageOf(error));
    if (messages.size > MAX_ERRORS) return [...[...messages].slice(0, MAX_ERRORS - 1), 'and more errors'];
  }
  return [...messages];
}

function messageOf({ instancePath, message, params, keyword }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params as Readonly<
    Record<string, unknown>
  >;
  const name = additionalProperty ?? unevaluatedProperty;
  const detail =
    typeof name === 'string'
      ? ` (${JSON.stringify(name)})`
      : Array.isArray(allowedValues)
        ? `: ${JSON.stringify(allowedValues)}`
        : keyword === 'const'
          ? `: ${JSON.stringify(allowedValue)}`
          : '';
  const text = `${instancePath === '' ? 'the value' : instancePath} ${message ?? keyword}${detail}`;
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR - 1).toWellFormed()}…` : text;
}

function isDeeperThan(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  return Object.values(value).some((part) => isDeeperThan(part, most - 1));
}
