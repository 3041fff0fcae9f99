import { type Revision, isTurnEndType } from '#domain';

/**
 * Where the events stand at which a run's turns end. They are taken in and heard of as committed in the same order, but either
 * may come first: what is decided is taken in when it is on the log. Owns which of them the other side waits for.
 */
export class TurnPlaces {
  private awaited = 0;
  private known: { readonly type: string; readonly revision: Revision }[] = [];

  /** The revision of the next event of this type, which is taken in now; -1: nobody knows it yet, or it ends no turn. */
  of(type: string): Revision {
    if (!isTurnEndType(type)) return -1;
    const first = this.known.shift();
    if (first?.type === type) return first.revision;
    this.known = [];
    this.awaited += 1;
    return -1;
  }

  /** An event is on the log. Returns whether it was taken in before. */
  isAwaited(type: string, revision: Revision): boolean {
    if (this.awaited > 0) {
      this.awaited -= 1;
      return true;
    }
    this.known.push({ type, revision });
    return false;
  }
}
