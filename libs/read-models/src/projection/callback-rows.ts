import {
  DeliveryFold,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type SessionId,
  asDeliveryEvent,
  deliveryStream,
  runOfDeliveryStream,
} from '#domain';
import type { EventLog, RecordedEvent } from '#event-log';
import type { CallbackRow, ReadModelStore } from './rows.js';

/** Runs whose deliveries are under way. */
const MAX_FOLDS = 500;

interface KnownFold {
  readonly fold: DeliveryFold;
  /** Revision up to which it holds the run's `delivery-` stream. */
  last: Revision;
}

/** The folds of deliveries under way: from one batch to the next they need not be read again. */
export class DeliveryFolds {
  private readonly known = new Map<RunId, KnownFold>();

  constructor(private readonly log: EventLog) {}

  /** The deliveries of a run, up to a revision of their stream at least. */
  async of(run: RunId, upTo: Revision): Promise<KnownFold> {
    const found = this.known.get(run) ?? { fold: new DeliveryFold(false), last: -1 };
    this.known.delete(run);
    if (found.last < upTo) {
      const options = { after: found.last, limit: upTo - found.last };
      for await (const page of this.log.readStream(deliveryStream(run), options))
        for (const event of page) pushTo(found, event);
    }
    this.known.set(run, found);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MAX_FOLDS) break;
      this.known.delete(oldest);
    }
    return found;
  }

  clear(): void {
    this.known.clear();
  }
}

function pushTo(known: KnownFold, recorded: RecordedEvent): void {
  if (recorded.revision <= known.last) return;
  known.last = recorded.revision;
  const event = asDeliveryEvent(recorded);
  if (event !== null) known.fold.push(event);
}

/** The runs with a callback that a batch changes. Rows are made of whole folds, so what comes twice changes nothing. */
export class CallbackRows {
  private readonly rows = new Map<RunId, CallbackRow>();
  private readonly changed = new Set<CallbackRow>();
  private readonly folds = new Map<RunId, KnownFold>();

  constructor(
    private readonly store: ReadModelStore,
    private readonly known: DeliveryFolds,
  ) {}

  /** Makes ready the rows and folds that the events change. */
  async prepare(events: readonly RecordedEvent[]): Promise<void> {
    const last = new Map<RunId, Revision>();
    const requested = new Set<RunId>();
    for (const { stream, revision, type, meta } of events) {
      const run = runOfDeliveryStream(stream);
      if (run !== null) last.set(run, revision);
      else if (type === 'run_requested' && meta.run !== undefined) requested.add(meta.run);
    }
    if (last.size === 0) return;
    for (const row of await this.store.loadCallbacks([...last.keys()])) this.rows.set(row.run, row);
    // A batch may hold a run and its first deliveries. Of runs that no row knows nothing is read.
    for (const [run, revision] of last)
      if (this.rows.has(run) || requested.has(run)) this.folds.set(run, await this.known.of(run, revision));
  }

  push(session: SessionId, event: RecordedSessionEvent): void {
    if (event.type !== 'run_requested' || event.isUnreadable === true || event.data.callback === undefined)
      return;
    const run = event.meta.run ?? '';
    if (this.rows.has(run)) return;
    const row: CallbackRow = {
      run,
      session,
      project: event.meta.project,
      requested: event.revision,
      createdAt: event.time,
      isOpen: true,
      hasFailed: false,
      isStopped: false,
      changedAt: null,
    };
    this.rows.set(run, row);
    this.changed.add(row);
  }

  pushDelivery({ stream, time }: RecordedEvent): void {
    const run = runOfDeliveryStream(stream) ?? '';
    const row = this.rows.get(run);
    const fold = this.folds.get(run)?.fold;
    if (row === undefined || fold === undefined) return;
    const { isSettled, hasFailed, isStopped } = fold;
    Object.assign(row, { isOpen: !isSettled, hasFailed, isStopped, changedAt: time });
    this.changed.add(row);
  }

  /** The rows that changed. */
  take(): readonly CallbackRow[] {
    return [...this.changed];
  }
}
