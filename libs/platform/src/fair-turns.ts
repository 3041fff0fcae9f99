export interface FairTurnsTerms {
  /** What there is to give: places, calls, bytes. */
  readonly room: number;
  /** What one name may hold of it; absent: all. */
  readonly roomEach?: number;
  /** How many may wait; absent: any number, where something else bounds them. */
  readonly maxWaiting?: number;
  /** How many of one name may wait, so that no name fills the queue for the others; absent: as many as of all. */
  readonly maxWaitingEach?: number;
}

/** So many wait already that one more is turned away. */
export class TurnsFull extends Error {
  override readonly name = 'TurnsFull';
  constructor(readonly waiting: number) {
    super(`${waiting} wait already`);
  }
}

/** Gives back what was taken; a second call does nothing. */
export type GiveBack = () => void;

interface Waiter {
  readonly weight: number;
  readonly grant: () => void;
}

/** A name with something taken or waiting, or that was served a moment ago while others waited. */
interface Party {
  taken: number;
  /** When its next turn begins: see `turn` of FairTurns. */
  turn: number;
  readonly waiting: Waiter[];
}

/**
 * Room that is given in turns by name (a project): of those that wait the name that holds least is next, among equals the
 * one whose turn it is. So whoever asks for one thing waits for one thing to be given back, however many others of
 * another name wait. Within a name they come in their order.
 *
 * Owns what is taken and who waits. Who waits for more than is free holds up those behind, so that it gets its turn.
 * Whose turn it is: start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996).
 */
export class FairTurns {
  private taken = 0;
  private queued = 0;
  /** Grows by what was given: when the turn began that was served last. Who comes anew begins now, not in the past. */
  private turn = 0;
  private readonly parties = new Map<string, Party>();

  constructor(private readonly terms: FairTurnsTerms) {}

  get inUse(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.queued;
  }

  /** What a name holds. */
  heldBy(name: string): number {
    return this.parties.get(name)?.taken ?? 0;
  }

  /**
   * Takes a part of the room when it is this name's turn; of more than there is, all of it.
   * @throws TurnsFull; the signal's reason, when it is aborted before
   */
  take(name: string, signal?: AbortSignal, weight = 1): Promise<GiveBack> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(reasonOf(signal));
      const { room, roomEach = room } = this.terms;
      const waiter: Waiter = {
        weight: Math.min(weight, room, roomEach),
        grant: () => {
          signal?.removeEventListener('abort', aborted);
          resolve(this.giveBackOf(name, waiter.weight));
        },
      };
      const aborted = () => {
        this.leave(name, waiter);
        reject(reasonOf(signal!));
      };
      const party = this.partyOf(name);
      if (this.queued === 0 && this.isFree(party, waiter)) return this.give(party, waiter);
      if (this.isFull(party)) {
        this.forget(name, party);
        return reject(new TurnsFull(this.queued));
      }
      signal?.addEventListener('abort', aborted, { once: true });
      if (party.waiting.length === 0) party.turn = Math.max(party.turn, this.turn);
      party.waiting.push(waiter);
      this.queued++;
      this.serve();
    });
  }

  private partyOf(name: string): Party {
    const known = this.parties.get(name);
    if (known !== undefined) return known;
    const party: Party = { taken: 0, turn: this.turn, waiting: [] };
    this.parties.set(name, party);
    return party;
  }

  private isFull({ waiting }: Party): boolean {
    const { maxWaiting = Infinity, maxWaitingEach = maxWaiting } = this.terms;
    return this.queued >= maxWaiting || waiting.length >= maxWaitingEach;
  }

  private isFree(party: Party, { weight }: Waiter): boolean {
    const { room, roomEach = room } = this.terms;
    return this.taken + weight <= room && party.taken + weight <= roomEach;
  }

  private serve(): void {
    for (let next = this.next(); next !== null; next = this.next()) {
      const waiter = next.waiting[0]!;
      if (this.taken + waiter.weight > this.terms.room) return;
      next.waiting.shift();
      this.queued--;
      this.give(next, waiter);
    }
  }

  /** Whose turn it is. A name that holds its share already is passed over: what it waits for is its own to give back. */
  private next(): Party | null {
    if (this.queued === 0) return null;
    const { room, roomEach = room } = this.terms;
    let least: Party | null = null;
    for (const [name, party] of this.parties) {
      const [first] = party.waiting;
      if (first === undefined) this.forget(name, party);
      else if (party.taken + first.weight <= roomEach && (least === null || isBefore(party, least)))
        least = party;
    }
    return least;
  }

  private give(party: Party, { weight, grant }: Waiter): void {
    this.taken += weight;
    party.taken += weight;
    this.turn = Math.max(this.turn, party.turn);
    party.turn += weight;
    grant();
  }

  private giveBackOf(name: string, weight: number): GiveBack {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const party = this.partyOf(name);
      this.taken -= weight;
      party.taken -= weight;
      this.forget(name, party);
      this.serve();
    };
  }

  private leave(name: string, waiter: Waiter): void {
    const party = this.partyOf(name);
    const place = party.waiting.indexOf(waiter);
    if (place >= 0) {
      party.waiting.splice(place, 1);
      this.queued--;
    }
    this.forget(name, party);
    // It may have been what held up the others.
    this.serve();
  }

  /** A name whose next turn is still to come would jump the queue if it were forgotten, and came again. */
  private forget(name: string, { taken, waiting, turn }: Party): void {
    if (taken > 0 || waiting.length > 0) return;
    if (turn <= this.turn || this.queued === 0) this.parties.delete(name);
  }
}

const isBefore = (one: Party, other: Party): boolean =>
  one.taken === other.taken ? one.turn < other.turn : one.taken < other.taken;

const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error(String(reason));
