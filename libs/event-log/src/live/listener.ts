/** Whoever hears of what is new in a tail. */
export interface Listener {
  /** He was given everything up to this revision or position. */
  readonly after: number;
  wake(): void;
}

/** Up to where all who listen were given everything; where nobody listens, nothing: somebody may be about to. */
export function givenToAll(listeners: ReadonlySet<Listener>): number {
  if (listeners.size === 0) return -1;
  let given = Infinity;
  for (const { after } of listeners) if (after < given) given = after;
  return given;
}
