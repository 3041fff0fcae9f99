import type { RecordedSessionEvent, RunId, SessionId } from '#domain';
import { type ShownItem, shownItems } from './given-view.js';
import type { OutputItem } from './items.js';
import type { Passage } from './passage.js';
import { type HearPassage, RunFace } from './run-face.js';

export type ConversationItem = ShownItem | OutputItem;

/** What stands at a place of the session: what was given, or what a passage has said. */
interface Segment {
  readonly passage: Passage | null;
  readonly isOutput: boolean;
  readonly items: () => readonly ConversationItem[];
}

/**
 * A session as a conversation: folds the events of its line, in their order and with their texts read, into all that was
 * given and said. Runs that wait their turn are not in it yet; a clear empties it, and hides what the run under way still
 * says.
 */
export class SessionFace {
  private segments: Segment[] = [];
  private isHidden = false;
  private readonly runs = new Map<RunId, RunFace>();
  private readonly deleted = new Set<string>();
  private seen = 0;
  private speaking: RunId | null = null;
  /** Runs whose messages stand in it: of those that are cancelled while they wait none does. */
  private readonly told = new Set<RunId>();
  private silent: RunId | null = null;

  /** @param listen of a run's passages; absent: nobody does */
  constructor(private readonly listen: (run: RunId) => HearPassage = () => () => null) {}

  /** Whether somebody has deleted the response. */
  isDeleted({ id }: Passage): boolean {
    return this.deleted.has(id);
  }

  run(run: RunId): RunFace | null {
    return this.runs.get(run) ?? null;
  }

  /** Of all of its runs in the order in which they were asked for, those that wait their turn, too. */
  get passages(): readonly Passage[] {
    return [...this.runs.values()].flatMap(({ passages }) => passages);
  }

  /** @param session of the line in which the event stands */
  push(event: RecordedSessionEvent, session: SessionId): void {
    if (event.type === 'messages_cleared') {
      this.segments = [];
      this.isHidden = true;
      return;
    }
    if (event.type === 'items_given') {
      const items = shownItems(event.data.items, session, event.revision);
      return this.add({ passage: null, isOutput: false, items: () => items });
    }
    if (event.type === 'response_deleted') this.deleted.add(event.data.response);
    const { run } = event.meta;
    if (run !== undefined) this.tell(event, run, session);
  }

  /** All items. */
  items(): readonly ConversationItem[] {
    return this.segments.flatMap(({ items }) => items());
  }

  /** Those that stood before the output of a passage, what it was given last. */
  before(passage: Passage): readonly ConversationItem[] {
    const { segments } = this;
    // One that waits in the queue, or did to its end, has said nothing, and stands behind all that was.
    if (!this.told.has(passage.beginning.run)) return [...this.items(), ...passage.given];
    const end = segments.findIndex((segment) => segment.isOutput && segment.passage === passage);
    const before = end < 0 ? segments : segments.slice(0, end);
    return [...before.flatMap(({ items }) => items()), ...(end < 0 ? [] : passage.heard)];
  }

  /** All that stood there when a passage was asked for; null: that does not stand there any more. */
  itemsBefore(passage: Passage): readonly ConversationItem[] | null {
    return this.itemsUpTo(this.segments.findIndex((one) => one.passage === passage));
  }

  /** The same when it had ended. */
  itemsThrough(passage: Passage): readonly ConversationItem[] | null {
    const at = this.segments.findIndex((one) => one.isOutput && one.passage === passage);
    return at < 0 ? null : this.itemsUpTo(at + 1);
  }

  /** @param end place of a segment; negative: of none */
  private itemsUpTo(end: number): readonly ConversationItem[] | null {
    return end < 0 ? null : this.segments.slice(0, end).flatMap(({ items }) => items());
  }

  private tell(event: RecordedSessionEvent, run: RunId, session: SessionId): void {
    let face = this.runs.get(run);
    if (face === undefined) {
      face = new RunFace(session, this.listen(run), this.retriedBy(event));
      this.runs.set(run, face);
    }
    if (event.type === 'run_claimed') this.silent = event.data.isCancelled ? run : null;
    if (event.type === 'agent_started') this.isHidden = false;
    face.push(event);
    const isSpeaking = this.speaking === run;
    if (event.type === 'agent_started' && this.silent !== run) {
      this.told.add(run);
      this.speaking = run;
      this.seen = 0;
    } else if (!isSpeaking) return;
    for (; this.seen < face.passages.length; this.seen++) this.addPassage(face.passages[this.seen]!);
  }

  /** The run that a retry goes on with. */
  private retriedBy(event: RecordedSessionEvent): RunFace | null {
    const before = event.type === 'run_requested' ? event.data.retry_of : undefined;
    return before === undefined ? null : this.run(before.run);
  }

  private addPassage(passage: Passage): void {
    this.add({ passage, isOutput: false, items: () => passage.given });
    this.add({ passage, isOutput: true, items: () => passage.talk });
  }

  private add(segment: Segment): void {
    if (!this.isHidden) this.segments.push(segment);
  }
}
