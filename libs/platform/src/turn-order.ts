/** A waiter for a part of the capacity. */
export interface Waiting {
  readonly weight: number;
}

/** A name that holds something, has waiters, or was served recently while others waited. */
interface Party<W> {
  taken: number;
  /** Virtual start time of its next turn: see `turn` of TurnOrder. */
  turn: number;
  /** In order of arrival. */
  readonly waiting: Set<W>;
}

/**
 * A fair queue over names (projects): next is the waiting name that holds least, among equals the one with
 * the earliest virtual start time (start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996). So one request
 * waits for one release, however many others of another name wait. First come, first served within a name.
 *
 * Owns who waits and how much each name holds; its user decides how much there is and when it is given.
 */
export class TurnOrder<W extends Waiting> {
  /** Virtual time: the start of the turn served last. A name that arrives starts here, not in the past. */
  private turn = 0;
  private queued = 0;
  private readonly parties = new Map<string, Party<W>>();

  /** @param roomEach what one name may hold; a name at its limit is passed over */
  constructor(private readonly roomEach: number) {}

  get waiting(): number {
    return this.queued;
  }

  /** Number of names with waiters. */
  get waitingNames(): number {
    let names = 0;
    for (const { waiting } of this.parties.values()) if (waiting.size > 0) names++;
    return names;
  }

  heldBy(name: string): number {
    return this.parties.get(name)?.taken ?? 0;
  }

  waitingOf(name: string): number {
    return this.parties.get(name)?.waiting.size ?? 0;
  }

  /** Whether the name may hold `weight` more. */
  mayHold(name: string, weight: number): boolean {
    return this.heldBy(name) + weight <= this.roomEach;
  }

  /** Appends to the name's queue. */
  wait(name: string, waiter: W): void {
    const party = this.partyOf(name);
    if (party.waiting.size === 0) party.turn = Math.max(party.turn, this.turn);
    party.waiting.add(waiter);
    this.queued++;
  }

  /** Removes a waiter; nothing happens where it does not wait. */
  leave(name: string, waiter: W): void {
    const party = this.parties.get(name);
    if (party === undefined || !party.waiting.delete(waiter)) return;
    this.queued--;
    this.forget(name, party);
  }

  /** The next waiter with its name, without removing it. null: none that may hold more. */
  next(): readonly [string, W] | null {
    if (this.queued === 0) return null;
    let least: readonly [string, W, Party<W>] | null = null;
    for (const [name, party] of this.parties) {
      const [first] = party.waiting;
      if (first === undefined) this.forget(name, party);
      else if (party.taken + first.weight <= this.roomEach && (least === null || isBefore(party, least[2])))
        least = [name, first, party];
    }
    return least === null ? null : [least[0], least[1]];
  }

  took(name: string, weight: number): void {
    const party = this.partyOf(name);
    party.taken += weight;
    this.turn = Math.max(this.turn, party.turn);
    party.turn += weight;
  }

  gaveBack(name: string, weight: number): void {
    const party = this.partyOf(name);
    party.taken -= weight;
    this.forget(name, party);
  }

  private partyOf(name: string): Party<W> {
    const known = this.parties.get(name);
    if (known !== undefined) return known;
    const party: Party<W> = { taken: 0, turn: this.turn, waiting: new Set() };
    this.parties.set(name, party);
    return party;
  }

  /**
   * Forgets an idle name, unless its next turn is in the future: it would jump the queue when it came again.
   */
  private forget(name: string, { taken, waiting, turn }: Party<W>): void {
    if (taken > 0 || waiting.size > 0) return;
    if (turn <= this.turn || this.queued === 0) this.parties.delete(name);
  }
}

const isBefore = <W>(one: Party<W>, other: Party<W>): boolean =>
  one.taken === other.taken ? one.turn < other.turn : one.taken < other.taken;
