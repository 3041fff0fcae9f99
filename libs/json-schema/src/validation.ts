export type Validation =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Patterns that were not held against it, because that takes too long. */
      readonly unchecked?: readonly string[];
    }
  /** Fit to be shown to the model: where, and what is wrong. */
  | { readonly ok: false; readonly errors: readonly string[] };

export const MAX_ERRORS = 20;

const cannotBeChecked = (why: string): Validation => ({
  ok: false,
  errors: [`it cannot be checked against the schema: checking it takes too ${why}`],
});

export const TOO_LONG = cannotBeChecked('long');
export const TOO_MUCH_MEMORY = cannotBeChecked('much memory');
