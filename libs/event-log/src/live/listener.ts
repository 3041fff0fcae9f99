/** A subscriber registered with a tail. */
export interface Listener {
  /** Cursor: everything up to this revision or position was delivered. */
  readonly after: number;
  wake(): void;
}

/**
 * The position up to which all listeners got everything; with none, nothing, for one may be about to
 * subscribe.
 */
export function givenToAll(listeners: ReadonlySet<Listener>): number {
  if (listeners.size === 0) return -1;
  let given = Infinity;
  for (const { after } of listeners) if (after < given) given = after;
  return given;
}
