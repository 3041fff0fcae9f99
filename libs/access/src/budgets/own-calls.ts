import { type BudgetId, type PicoDollars, type ProjectId } from '#domain';
import type { NewEvent, Position } from '#event-log';

/** What one call of this process cost. */
interface OwnCall {
  readonly project: ProjectId;
  readonly key: string;
  /** ms since 1970 */
  readonly time: number;
  readonly cost: PicoDollars;
  /** Of its event; null: it is not on the log yet. */
  readonly position: Position | null;
}

/** What never reaches the log is counted for so long. */
const PENDING_MS = 10 * 60_000;
/** A call that the tables know is kept for so long: sums that were read of them before are still counted with. */
const KNOWN_MS = 5_000;
/** Calls behind the tables that are kept; the oldest of more are those that the tables know. */
const MOST = 20_000;

/** The model calls of this process that the tables may not know yet. Owns them. */
export class OwnCalls {
  /** By the data of the event that tells of the call. */
  private readonly pending = new Map<object, OwnCall>();
  private stored: OwnCall[] = [];

  /** A call has ended. */
  add(event: object, call: Omit<OwnCall, 'position'>): void {
    for (const [data, { time }] of this.pending) {
      if (time > call.time - PENDING_MS) break;
      this.pending.delete(data);
    }
    this.pending.set(event, { ...call, position: null });
  }

  /** Events of this process are on the log. */
  noteStored(events: readonly NewEvent[], position: Position): void {
    for (const { type, data } of events) {
      const call = type === 'model_called' && data !== null ? this.pending.get(data) : undefined;
      if (call === undefined || data === null) continue;
      this.pending.delete(data);
      this.stored.push({ ...call, position });
    }
    if (this.stored.length > 2 * MOST) this.stored = this.stored.slice(-MOST);
  }

  /** Of calls from `from` on that stand behind `upTo`. */
  sum(
    { scope, id, project }: BudgetId & { readonly project: ProjectId },
    from: number,
    upTo: Position,
  ): PicoDollars {
    let sum = 0n;
    for (const calls of [this.pending.values(), this.stored.values()])
      for (const call of calls) {
        const isBehind = call.position === null || call.position > upTo;
        const isOf = call.project === project && (scope === 'project' || call.key === id);
        if (isBehind && isOf && call.time >= from) sum += call.cost;
      }
    return sum;
  }

  /** The tables know what stands up to there; `now` in ms since 1970. */
  forget(upTo: Position, now: number): void {
    if (this.stored.length <= 1_000) return;
    this.stored = this.stored.filter(
      ({ position, time }) => position === null || position > upTo || time > now - KNOWN_MS,
    );
  }
}
