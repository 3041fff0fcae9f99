/** Someone who waits for a part of the room. */
export interface Waiting {
  readonly weight: number;
}

/** A name with something taken or waiting, or that was served a moment ago while others waited. */
interface Party<W> {
  taken: number;
  /** When its next turn begins: see `turn` of TurnOrder. */
  turn: number;
  /** In their order. */
  readonly waiting: Set<W>;
}

/**
 * Whose turn it is: of the names (projects) that wait the one that holds least is next, among equals the one whose turn
 * begins first (start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996). So whoever asks for one thing waits for one
 * thing to be given back, however many others of another name wait. Within a name they come in their order.
 *
 * Owns who waits and how much each name holds; how much there is to give, and when, is its user's to say.
 */
export class TurnOrder<W extends Waiting> {
  /** Grows by what was given: when the turn began that was served last. Who comes anew begins now, not in the past. */
  private turn = 0;
  private queued = 0;
  private readonly parties = new Map<string, Party<W>>();

  /** @param roomEach what one name may hold; whoever waits beyond it is passed over */
  constructor(private readonly roomEach: number) {}

  get waiting(): number {
    return this.queued;
  }

  /** Names of which somebody waits. */
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

  /** Whether the name may hold so much more. */
  mayHold(name: string, weight: number): boolean {
    return this.heldBy(name) + weight <= this.roomEach;
  }

  /** To the end of its name's queue. */
  wait(name: string, waiter: W): void {
    const party = this.partyOf(name);
    if (party.waiting.size === 0) party.turn = Math.max(party.turn, this.turn);
    party.waiting.add(waiter);
    this.queued++;
  }

  /** Nothing happens where it does not wait. */
  leave(name: string, waiter: W): void {
    const party = this.parties.get(name);
    if (party === undefined || !party.waiting.delete(waiter)) return;
    this.queued--;
    this.forget(name, party);
  }

  /** Who is next, and its name; it waits still. null: nobody who may hold more. */
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

  /** A name whose next turn is still to come would jump the queue if it were forgotten, and came again. */
  private forget(name: string, { taken, waiting, turn }: Party<W>): void {
    if (taken > 0 || waiting.size > 0) return;
    if (turn <= this.turn || this.queued === 0) this.parties.delete(name);
  }
}

const isBefore = <W>(one: Party<W>, other: Party<W>): boolean =>
  one.taken === other.taken ? one.turn < other.turn : one.taken < other.taken;
