/** As JSON; null: it is nested so deeply that there is no stack for it. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
