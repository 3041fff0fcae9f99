import type { Content } from './content.js';
import { type ContextMessage, type ToolMessage, sizeOf, sizeOfAll } from './context-message.js';
import { type LinePlace, parsePlace, placeText } from './fork/line-place.js';
import type { Revision, SessionId } from './ids.js';

/** Where a message's turn ends on the log: at an event that a client saw. */
interface Place {
  /** -1: it is written, and nobody has told yet where it stands. */
  revision: Revision;
  session?: SessionId;
}

/** What is left out of a context, as `agent_compacted` tells it. */
export interface LeftOut {
  readonly from: string;
  readonly through: string;
}

export interface WhatIsLeftOut extends LeftOut {
  /** The first message is a summary of it. */
  readonly isSummed: boolean;
}

/** How much is to stay: characters of what is sent behind the system message. */
export interface Room {
  readonly budget: number;
  /** Whether a summary takes the place of what is left out. */
  readonly isSummed: boolean;
}

/** A share of the budget: so much stays beside a summary, and less than that is not worth it. */
export const SHARE = 4;

/**
 * The messages of a context in their order. Owns where each of them ends on the log: messages of one turn, calls with their
 * results, end at the same event, and are left out together.
 */
export class ContextMessages {
  readonly all: ContextMessage[] = [];
  /** Of each message; null: its turn is not closed. */
  private places: (Place | null)[] = [];
  /** Before it all turns are closed. */
  private openFrom = 0;
  /** Written ones, in the order in which the log will hold them. */
  private unplaced: Place[] = [];
  /** What the run under way, or the last one, began with and is told for as long as it goes on. */
  private own: readonly ContextMessage[] = [];
  /** Messages of runs that a compaction kept, although it stands for events behind them. */
  private readonly kept = new WeakSet<ContextMessage>();
  private summed = false;
  private left: LeftOut | null = null;

  /** What stands on the log and not here; null: nothing. */
  get leftOut(): WhatIsLeftOut | null {
    return this.left === null ? null : { ...this.left, isSummed: this.summed };
  }

  add(...messages: readonly ContextMessage[]): void {
    this.insert(this.all.length, messages);
  }

  /**
   * A run starts, with these messages: it goes on being told what was asked last, and what it is instructed to.
   * @param beginning null: it goes on with what another one began with
   */
  begin(beginning: readonly ContextMessage[] | null, revision: Revision): void {
    if (beginning !== null) {
      const asked = beginning.findLastIndex(({ role }) => role === 'assistant' || role === 'tool');
      this.own = beginning.filter(({ role }, at) => at > asked || role === 'system');
      this.add(...beginning);
    }
    this.close(revision);
  }

  insert(at: number, messages: readonly ContextMessage[]): void {
    this.all.splice(at, 0, ...messages);
    this.places.splice(at, 0, ...messages.map(() => null));
    this.openFrom = Math.min(this.openFrom, at);
  }

  /** Results that came later than their calls, which have none: each stands in the turn of its call. Returns where. */
  answer(results: readonly ToolMessage[]): readonly number[] {
    return results.map((result) => this.answerOne(result)).filter((at) => at !== null);
  }

  /** null: there is no such call. */
  private answerOne(result: ToolMessage): number | null {
    const { callId } = result;
    const turn = this.all.findLastIndex(
      (m) => m.role === 'assistant' && m.toolCalls?.some(({ id }) => id === callId) === true,
    );
    if (turn < 0) return null;
    let at = turn + 1;
    for (let next = this.all[at]; next?.role === 'tool'; next = this.all[++at])
      if (next.callId === callId) return null;
    this.all.splice(at, 0, result);
    const place = this.places[turn] ?? null;
    this.places.splice(at, 0, place);
    if (place === null) this.openFrom = Math.min(this.openFrom, at);
    else if (at < this.openFrom) this.openFrom++;
    return at;
  }

  remove(at: number, count: number): void {
    this.all.splice(at, count);
    this.places.splice(at, count);
    this.openFrom = Math.min(this.openFrom, at);
  }

  replace(at: number, message: ContextMessage): void {
    this.all[at] = message;
  }

  clear(): void {
    this.remove(0, Infinity);
    this.own = [];
    this.summed = false;
    this.left = null;
  }

  /** The turns so far end at this event. */
  close(revision: Revision): void {
    const place: Place = { revision };
    if (revision < 0) this.unplaced.push(place);
    for (let at = this.openFrom; at < this.all.length; at++) this.places[at] ??= place;
    this.openFrom = this.all.length;
  }

  /** The first event of those that were taken before the log held them stands there. */
  placed(revision: Revision): void {
    const place = this.unplaced.shift();
    if (place !== undefined) place.revision = revision;
  }

  /** What follows is said in a fork of this session; of it only these messages are told there. */
  branch(session: SessionId, isTold: (message: ContextMessage, at: number) => boolean): void {
    this.keep(isTold);
    this.own = [];
    this.unplaced = [];
    for (const place of this.places) if (place !== null) place.session ??= session;
    if (this.left !== null)
      this.left = { from: named(this.left.from, session), through: named(this.left.through, session) };
  }

  /**
   * A compaction: what ends up to `through` becomes the summary, or goes where that is empty, but for the message of the run.
   * @returns how many of the first `counted` messages there are now
   */
  compact(content: Content, left: LeftOut, counted: number): number {
    const through = parsePlace(left.through);
    if (through === null) return counted;
    const last = this.places.findLastIndex((place) => place !== null && isUpTo(place, through));
    const staying = (message: ContextMessage, at: number): boolean => at > last || this.own.includes(message);
    for (const [at, message] of this.all.entries())
      if (at <= last && staying(message, at)) this.kept.add(message);
    let still = this.all.slice(0, counted).filter(staying).length;
    this.keep(staying);
    this.left = left;
    this.summed = content !== '';
    if (this.summed) {
      this.all.unshift({ role: 'user', content });
      this.places.unshift({ ...through });
      still += 1;
    }
    return still;
  }

  /** What a compaction would leave out; null: it is not worth it, or the log does not hold yet where it ends. */
  planned({ budget, isSummed }: Room): LeftOut | null {
    const turns = this.turns();
    const end = isSummed ? this.endBesideSummary(turns, budget) : this.endOfOldest(turns, budget);
    const gone = turns.slice(0, end);
    const last = gone.at(-1)?.place;
    // A context begins with what somebody said, which is shown where it ends.
    const first = this.places[0];
    if (last === undefined || last.revision < 0 || sizeOfTurns(gone) < budget / SHARE) return null;
    // The message that an earlier compaction kept stands before what that stands for.
    const isKept = this.kept.has(this.all[gone.at(-1)!.at]!);
    const through = isKept && this.left !== null ? this.left.through : placeText(last);
    return { from: this.left?.from ?? placeText(first ?? last), through };
  }

  /** The newest turns stay, as many as fit, and what a user has said to the run behind the last of them. */
  private endBesideSummary(turns: readonly Turn[], budget: number): number {
    let room = budget / SHARE;
    let end = Math.max(this.endOfEarlier(turns), turns.findLastIndex(({ isAnswer }) => isAnswer) + 1);
    for (; end > 0; end--) {
      room -= turns[end - 1]!.size;
      if (room < 0) break;
    }
    return end;
  }

  /** The oldest go, a share of the budget at a time, until the rest is well below it; the newest turn of the run stays. */
  private endOfOldest(turns: readonly Turn[], budget: number): number {
    const share = budget / SHARE;
    const over = sizeOfAll(this.all) - (budget - share);
    const wanted = Math.max(1, Math.ceil(over / share)) * share;
    const most = Math.max(
      this.endOfEarlier(turns),
      turns.findLastIndex(({ isAnswer }) => isAnswer),
    );
    let gone = 0;
    let end = 0;
    for (; end < most && gone < wanted; end++) gone += turns[end]!.size;
    // A conversation begins with what somebody asked, where it does not begin with the message of the run.
    const earlier = this.own.length === 0 ? turns.length : this.endOfEarlier(turns);
    for (let at = end; at <= most; at++) if (at >= earlier || turns[at]?.isAnswer === false) return at;
    return end;
  }

  /** How many turns stand before the message of the run: any of them may go, or one that is too long would end every run. */
  private endOfEarlier(turns: readonly Turn[]): number {
    const own = this.all.findIndex((message) => this.own.includes(message));
    return own < 0 ? 0 : turns.findLastIndex(({ at }) => at < own) + 1;
  }

  /** Messages that end at the same event, but the summary and the message of the run. */
  private turns(): readonly Turn[] {
    const turns: Turn[] = [];
    for (const [at, message] of this.all.entries()) {
      const place = this.places[at] ?? null;
      if (this.own.includes(message) || place === null || (at === 0 && this.summed)) continue;
      let turn = turns.at(-1);
      if (turn?.place !== place) turns.push((turn = { at, place, size: 0, isAnswer: false }));
      turn.size += sizeOf(message);
      turn.isAnswer ||= message.role === 'assistant' || message.role === 'tool';
    }
    return turns;
  }

  private keep(isKept: (message: ContextMessage, at: number) => boolean): void {
    const places = this.places.filter((_, at) => isKept(this.all[at]!, at));
    const kept = this.all.filter(isKept);
    this.all.splice(0, Infinity, ...kept);
    this.places = places;
    this.openFrom = 0;
  }
}

interface Turn {
  /** Index of its first message. */
  readonly at: number;
  readonly place: Place;
  size: number;
  isAnswer: boolean;
}

const sizeOfTurns = (turns: readonly Turn[]): number => turns.reduce((sum, { size }) => sum + size, 0);

const isUpTo = (place: Place, through: LinePlace): boolean =>
  place.session === through.session && place.revision >= 0 && place.revision <= through.revision;

const named = (text: string, session: SessionId): string => {
  const place = parsePlace(text);
  return place === null ? text : placeText({ session, ...place });
};
