import type { ErrorObject, ValidateFunction } from 'ajv';
import { jsonIn } from './json-in-text.js';
import { TooMuchWork, type WorkBudget } from './work-budget.js';

export type Validation =
  | { readonly ok: true; readonly value: unknown }
  /** Fit to be shown to the model: where, and what is wrong. */
  | { readonly ok: false; readonly errors: readonly string[] };

export const MAX_VALIDATION_ERRORS = 20;
/** UTF-16 units of a text that is looked at. */
const MAX_TEXT = 1024 * 1024;
const MAX_ERROR = 300;
/** Arrays and objects within each other, so that whatever writes the value as JSON can. */
const MAX_VALUE_DEPTH = 64;

/** A schema that was compiled: holds values against it. */
export class CompiledSchema {
  constructor(
    private readonly check: ValidateFunction,
    private readonly budget: WorkBudget,
    /** Whether the schema's own type is a string, so that text need not be JSON. */
    private readonly takesText: boolean,
    /** What compiling it cost, in subschemas. */
    readonly subschemas: number,
  ) {}

  validate(value: unknown): Validation {
    if (isDeeperThan(value, MAX_VALUE_DEPTH))
      return { ok: false, errors: [`it is nested deeper than ${MAX_VALUE_DEPTH} levels`] };
    this.budget.refill();
    try {
      if (this.check(value)) return { ok: true, value };
      return { ok: false, errors: messagesOf(this.check.errors ?? []) };
    } catch (error) {
      if (!(error instanceof TooMuchWork) && !(error instanceof RangeError)) throw error;
      return { ok: false, errors: ['it cannot be checked against the schema: checking it takes too long'] };
    }
  }

  /** What a model wrote: JSON, plain, in a fence, or with words around it. */
  validateText(text: string): Validation {
    if (text.length > MAX_TEXT) return { ok: false, errors: [`it is longer than ${MAX_TEXT} characters`] };
    let first: Validation | null = null;
    for (const value of jsonIn(text)) {
      const found = this.validate(value);
      if (found.ok) return found;
      first ??= found;
    }
    if (this.takesText) {
      const found = this.validate(text);
      if (found.ok || first === null) return found;
    }
    return first ?? { ok: false, errors: ['it is not valid JSON'] };
  }
}

function messagesOf(errors: readonly ErrorObject[]): string[] {
  const messages = [...new Set(errors.map(messageOf))];
  if (messages.length <= MAX_VALIDATION_ERRORS) return messages;
  const more = messages.length - MAX_VALIDATION_ERRORS + 1;
  return [...messages.slice(0, MAX_VALIDATION_ERRORS - 1), `and ${more} more errors`];
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
