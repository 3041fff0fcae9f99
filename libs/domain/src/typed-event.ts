/** An event as it stands on the log, of which only its type says what its data are. */
interface Untyped {
  readonly type: string;
  readonly data: object;
}

/**
 * Makes the reader of a kind of streams: it tells an event as what its type says it is, or null for a type that only a newer
 * version knows. `types` names all types of the kind, so that a new one is a compile error here.
 */
export function typedReader<E extends Untyped>(
  types: Readonly<Record<E['type'], true>>,
): <R extends Untyped>(event: R) => (R & E) | null {
  return <R extends Untyped>(event: R) => (Object.hasOwn(types, event.type) ? (event as R & E) : null);
}
