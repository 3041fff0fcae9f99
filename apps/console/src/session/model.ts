import { type Signal, computed, signal } from '@preact/signals';
import { SessionRecordFold, type SessionSummary, type SessionViewAt, foldView } from '#projections';
import { type Axis, type AxisMode, axisOf } from './axis.js';
import type { findIn } from './find.js';
import type { Contents, Found } from './found.js';
import { type Filter, SHOW_ALL } from './lanes.js';
import type { LogEvent } from './log-event.js';
import { type Mark, Marks } from './marks.js';
import type { Ancestor } from './ancestors.js';
import { LogRows, type Row, type RowsMode, type Told, rowsOf } from './rows.js';
import { Story } from './story.js';
import type { SessionStore } from './store.js';
import type { ToldSoFar } from './told-so-far.js';

export const TABS = ['Conversation', 'Context', 'Run', 'Event'] as const;
export type Tab = (typeof TABS)[number];

/** A log that a fork goes on from. */
export interface PartBefore {
  readonly ancestor: Ancestor;
  readonly story: Story;
  readonly events: readonly LogEvent[];
  readonly rows: readonly Row[];
}

const findNothing = (): Found => ({ matches: [], unsearched: 0 });

/** How a session is looked at first. */
export interface FirstLook {
  /** null: at its end, wherever that goes. */
  readonly at: number | null;
  readonly rows: RowsMode;
  readonly axis: AxisMode;
  readonly query: string;
  readonly tab: Tab;
}

/** What goes on has room behind its last event: a fifth of what was before, and no less than a second. */
function tailOf(times: readonly number[]): number {
  const last = times.at(-1) ?? 0;
  return last + Math.max((last - (times[0] ?? 0)) / 5, 1000);
}

/** What is folded once from each event, in order. */
class Folded {
  private record: SessionRecordFold;
  private marks = new Marks();
  private count = 0;
  private recorded = 0;

  constructor(private readonly store: SessionStore) {
    this.record = new SessionRecordFold(store.session);
  }

  catchUp(): this {
    const { events, known, story } = this.store;
    for (; this.recorded < known.length; this.recorded++) this.record.push(known[this.recorded]!);
    for (; this.count < events.length; this.count++) this.marks.push(events[this.count]!, this.count, story);
    return this;
  }

  get summary(): SessionSummary | null {
    return this.record.finish();
  }

  drawn(told: readonly Told[]): readonly Mark[] {
    return this.marks.finish(told);
  }
}

/**
 * How a session's log is looked at. Owns the position and the settings of the page; what is shown follows from them and the
 * store's events alone.
 */
export class SessionModel {
  /** The event that is looked at; Infinity: the last one, whichever that will be. */
  readonly wanted: Signal<number>;
  readonly isLive: Signal<boolean>;
  readonly rowsMode: Signal<RowsMode>;
  readonly axisMode: Signal<AxisMode>;
  readonly filter = signal<Filter>(SHOW_ALL);
  readonly query: Signal<string>;
  readonly tab: Signal<Tab>;
  /** How an event's data are shown. */
  readonly dataForm = signal<'pretty' | 'verbatim'>('pretty');
  readonly toldSoFar = signal<ToldSoFar>({ told: [], isCut: false });
  readonly told = computed(() => this.toldSoFar.value.told);
  /** null: nothing was looked for yet, and it is not fetched before. */
  readonly finder = signal<typeof findIn | null>(null);
  readonly ancestors = signal<readonly Ancestor[]>([]);
  /** Texts of the session that lie in files, as far as they were read. */
  readonly contents = signal<Contents>(new Map());
  private readonly folded: Folded;
  /** The last event that was shown to whoever follows the end. */
  private followed = -1;
  private counted: { readonly key: readonly unknown[]; readonly rows: LogRows; count: number } | null = null;

  constructor(
    readonly store: SessionStore,
    first: FirstLook,
  ) {
    this.folded = new Folded(store);
    this.wanted = signal(first.at ?? Infinity);
    this.isLive = signal(first.at === null);
    this.rowsMode = signal(first.rows);
    this.axisMode = signal(first.axis);
    this.query = signal(first.query);
    this.tab = signal(first.tab);
  }

  /** Id of the last event that is there; -1: none. */
  readonly last = computed(() => {
    void this.store.version.value;
    return this.store.last;
  });

  /** The event that is shown: what is looked at may not be there yet. Who follows the end does so when all of it is there. */
  readonly at = computed(() => {
    const last = this.last.value;
    if (!this.isLive.value) return Math.min(this.wanted.value, last);
    if (last >= this.store.head.peek()) this.followed = last;
    return this.followed;
  });

  /** Whether there is more to come before what is looked at. */
  readonly isComing = computed(() => {
    const last = this.last.value;
    const head = this.store.head.peek();
    const to = this.isLive.value ? head : Math.min(this.wanted.value, head);
    return last < 0 || this.at.value < to;
  });

  readonly event = computed<LogEvent | null>(() => {
    void this.store.replaced.value;
    return this.store.events[this.at.value] ?? null;
  });

  /** The session as it stood there. Folded from its first event, each time. */
  readonly view = computed<SessionViewAt>(() => {
    void this.store.replaced.value;
    const { session, known } = this.store;
    return foldView(session, known, this.at.value, this.inherited.value);
  });

  /** What a fork's line holds before its own events. */
  readonly inherited = computed(() => this.ancestors.value.flatMap(({ known }) => known));

  /** The rows of the logs that it goes on from, each with its story. */
  readonly rowsBefore = computed<readonly PartBefore[]>(() =>
    this.ancestors.value.map((ancestor) => {
      const story = new Story();
      for (const event of ancestor.events) story.push(event);
      const { rows } = rowsOf(ancestor.events, story, this.rowsMode.value, this.filter.value);
      return { ancestor, story, events: ancestor.events, rows };
    }),
  );

  /** The same as the log has it, each with whose it is: what a conversation begins with. */
  readonly before = computed(() =>
    this.ancestors.value.flatMap(({ session, events, isErased }) =>
      isErased ? [] : events.map((event) => ({ ...event, session })),
    ),
  );

  readonly summary = computed<SessionSummary | null>(() => {
    void this.store.version.value;
    return this.folded.catchUp().summary;
  });

  /** Counted, for it is added to in place. */
  readonly log = computed(() => {
    const isSame = this.store.version.value;
    const key = [this.rowsMode.value, this.filter.value, this.told.value, this.store.replaced.value];
    return { rows: this.rowsUpToNow(key), isSame };
  });

  readonly axis = computed<Axis>(() => {
    void this.store.version.value;
    const { events, story } = this.store;
    const times = events.map(({ time }) => time);
    const told = this.told.value.reduce((last, { time }) => Math.max(last, time), -Infinity);
    const isOpen = [...story.runs.values()].some(({ hasEnded }) => !hasEnded);
    return axisOf(times, this.axisMode.value, Math.max(told, isOpen ? tailOf(times) : -Infinity));
  });

  readonly marks = computed<readonly Mark[]>(() => {
    void this.store.version.value;
    return this.folded.catchUp().drawn(this.told.value);
  });

  readonly found = computed(() => {
    void this.store.version.value;
    void this.store.replaced.value;
    const find = this.finder.value ?? findNothing;
    return find(this.store.events, this.query.value, this.contents.value);
  });

  /** A text was fetched that is not in its event: it can be found, too. */
  readonly noteRead = (session: string, event: number, content: string): void => {
    if (session === this.store.session)
      this.contents.value = new Map([...this.contents.value, [event, content]]);
  };

  /** Goes to an event. Whoever goes somewhere does not follow any more. */
  seek(at: number): void {
    const to = Math.max(0, Math.min(at, Math.max(this.store.head.value, this.store.last)));
    this.wanted.value = to;
    this.isLive.value = false;
  }

  follow(): void {
    this.wanted.value = Infinity;
    this.isLive.value = true;
  }

  /** The row in which the event stands that is looked at; -1: in none. */
  readonly row = computed(() => this.log.value.rows.rowOf[this.at.value] ?? -1);

  private rowsUpToNow(key: readonly unknown[]): LogRows {
    const { events, story } = this.store;
    const before = this.counted;
    const isKept = before !== null && key.every((part, at) => part === before.key[at]);
    const { mode, filter } = { mode: this.rowsMode.value, filter: this.filter.value };
    const now = isKept ? before : { key, rows: new LogRows(mode, filter), count: 0 };
    this.counted = now;
    const told = isKept ? [] : this.told.value;
    let next = 0;
    for (; now.count < events.length; now.count++) {
      const event = events[now.count]!;
      while (next < told.length && told[next]!.time < event.time) now.rows.pushTold(told[next++]!);
      now.rows.push(event, now.count, story);
    }
    while (next < told.length) now.rows.pushTold(told[next++]!);
    return now.rows;
  }
}
