export const MAX_SCHEMA_BYTES = 64 * 1024;

export const TOO_LARGE = `must not be larger than ${MAX_SCHEMA_BYTES} bytes, nor deeper than can be written`;

/** The schema as JSON; null: TOO_LARGE. */
export function schemaText(schema: object): string | null {
  try {
    const text = JSON.stringify(schema);
    return Buffer.byteLength(text) > MAX_SCHEMA_BYTES ? null : text;
  } catch (error) {
    // Too deep for the call stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
