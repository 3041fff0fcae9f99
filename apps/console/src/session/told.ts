import type { Page } from '../api/types.js';
import type { Told } from './rows.js';
import type { ToldSoFar } from './told-so-far.js';

/** A delivery of a run's callback, as lists tell of it. */
export interface DeliveryView {
  readonly delivery_id: string;
  readonly run_id: string;
  readonly event_id: string | number;
  readonly target: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_attempt_at: string | null;
}

/** Deliveries that are read of one session; more would neither be looked through by anybody nor be asked for in a moment. */
export const MOST_TOLD = 2000;
/** A page may hold few and go on all the same. */
const MOST_PAGES = 40;
/** What is settled may be sent again: one read in so many is of all of them. */
const WHOLE_EVERY = 12;

export type ReadPage = (cursor: string | null) => Promise<Page<DeliveryView>>;

/**
 * Reads the deliveries of a session, newest first, again and again. Owns what was read of them.
 * 1. A read goes on up to the last page, or MOST_TOLD; one that is not of all ends where a page tells nothing new and
 *    whatever may still change was met.
 * 2. Where nothing has changed the answer is the same object.
 */
export class ToldReader {
  private readonly known = new Map<string, DeliveryView>();
  private now: ToldSoFar = { told: [], isCut: false };
  /** Reads until the next one of all; one that broke off is made up for. */
  private untilWhole = 0;

  async read(readPage: ReadPage): Promise<ToldSoFar> {
    const isWhole = this.untilWhole === 0;
    const unmet = new Set([...this.known.values()].filter(mayChange).map(({ delivery_id: id }) => id));
    let { isCut } = this.now;
    let hasChanged = false;
    let count = 0;
    let cursor: string | null = null;
    for (let pages = 1; ; pages++) {
      const page: Page<DeliveryView> = await readPage(cursor);
      const isNew = this.keep(page.items, unmet);
      hasChanged ||= isNew;
      count += page.items.length;
      cursor = page.next_cursor;
      if (!isWhole && !isNew && unmet.size === 0) break;
      const isOver = cursor === null || count >= MOST_TOLD || pages === MOST_PAGES;
      if (isOver) isCut = cursor !== null;
      if (isOver) break;
    }
    this.untilWhole = isWhole ? WHOLE_EVERY - 1 : this.untilWhole - 1;
    if (hasChanged || isCut !== this.now.isCut) this.now = { told: this.inOrder(), isCut };
    return this.now;
  }

  /** @returns whether something of it was not known */
  private keep(items: readonly DeliveryView[], unmet: Set<string>): boolean {
    let isNew = false;
    for (const item of items) {
      unmet.delete(item.delivery_id);
      const before = this.known.get(item.delivery_id);
      if (before !== undefined && isSame(before, item)) continue;
      this.known.set(item.delivery_id, item);
      isNew = true;
    }
    return isNew;
  }

  private inOrder(): readonly Told[] {
    return [...this.known.values()].flatMap(toldOf).sort((a, b) => a.time - b.time);
  }
}

const mayChange = ({ status }: DeliveryView): boolean => status === 'pending' || status === 'retrying';

const isSame = (one: DeliveryView, other: DeliveryView): boolean =>
  one.status === other.status &&
  one.attempts === other.attempts &&
  one.last_attempt_at === other.last_attempt_at;

function toldOf(view: DeliveryView): Told[] {
  const { last_attempt_at: at, last_status: code, last_error: error } = view;
  if (at === null) return [];
  const answer = code === null ? (error ?? '') : String(code);
  const { delivery_id: id, run_id: run, event_id: event, status, attempts } = view;
  const target = view.target ?? '';
  return [{ id, run, event: Number(event), time: Date.parse(at), target, status, attempts, answer }];
}
