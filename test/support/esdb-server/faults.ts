/** What the server does instead of its work, for one call. `stored`: whether the append takes effect before. */
export type Fault =
  /** No answer, ever. */
  | { readonly kind: 'silence'; readonly stored?: boolean }
  /** The whole call ends as if all were well. */
  | { readonly kind: 'end'; readonly stored?: boolean }
  /** The whole call fails with a gRPC code (13: as after a reset, 14: unavailable). */
  | { readonly kind: 'error'; readonly code: number; readonly stored?: boolean; readonly details?: string }
  /** The work, but later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The answer, and then once more the same. */
  | { readonly kind: 'twice' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'not-ready' }
  | { readonly kind: 'denied' }
  /** An error without details. */
  | { readonly kind: 'no-details' }
  /** The server gave up waiting for itself: it may be stored or not. */
  | { readonly kind: 'timeout'; readonly stored?: boolean }
  /** A read that does not show the newest events, as from a node that is behind. */
  | { readonly kind: 'stale'; readonly without: number }
  /** A read that breaks off after so many events. */
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'not-leader'; readonly leader: { readonly host: string; readonly port: number } };

export type FaultyCall = 'append' | 'read' | 'subscribe' | 'features' | 'gossip';

interface Planned {
  readonly call: FaultyCall;
  readonly fault: Fault;
  skip: number;
  times: number;
}

/** Which calls go wrong. Owns the plan: each entry waits for its turn and is used up. */
export class Faults {
  private readonly planned: Planned[] = [];

  /** The next `times` calls of the kind, after `skip` of them. */
  add(call: FaultyCall, fault: Fault, { skip = 0, times = 1 } = {}): void {
    this.planned.push({ call, fault, skip, times });
  }

  /** Faults that nothing has met yet. */
  get left(): number {
    return this.planned.length;
  }

  clear(): void {
    this.planned.length = 0;
  }

  /** The fault for this call; undefined: do it right. */
  next(call: FaultyCall): Fault | undefined {
    const at = this.planned.findIndex((planned) => planned.call === call);
    const planned = this.planned[at];
    if (planned === undefined) return undefined;
    if (planned.skip > 0) {
      planned.skip -= 1;
      return undefined;
    }
    planned.times -= 1;
    if (planned.times <= 0) this.planned.splice(at, 1);
    return planned.fault;
  }
}
