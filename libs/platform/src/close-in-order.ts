/** A step of a shutdown: closes, stops or releases one resource. */
export type Closing = () => unknown;

/**
 * Runs every step in sequence, even when earlier ones fail.
 * @throws the error of the step that failed; of several, an AggregateError with all of them and the first as
 * its cause
 */
export async function closeInOrder(...steps: readonly Closing[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  throwAll(errors);
}

/** As `closeInOrder`, but concurrently: resolves when the last step has ended. */
export async function closeTogether(...steps: readonly Closing[]): Promise<void> {
  const ends = await Promise.allSettled(steps.map(async (step) => step()));
  throwAll(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : [])));
}

function throwAll(errors: readonly unknown[]): void {
  if (errors.length > 1)
    throw new AggregateError(errors, `${errors.length} things could not be closed: ${textOf(errors)}`, {
      cause: errors[0],
    });
  if (errors.length === 1) throw errors[0];
}

const textOf = (errors: readonly unknown[]): string =>
  errors.map((error) => (error instanceof Error ? error.message : String(error))).join('; ');
