import type { EventsPlace } from '../runs/shared/event-answers.js';
import { FinalText, type ResponseText } from '../runs/shared/response-text.js';
import {
  type ActionKind,
  type RunId,
  type SessionId,
  formatDollars,
  isPublicType,
  knownSessionEvent,
  notFound,
} from '#domain';
import { type RunError, RunRecords, type RunStatus, hasEnded } from '#projections';
import type { RecordedEvent } from '#event-log';

/** Where a run's events stand. */
export type RunPlace = Pick<EventsPlace, 'session' | 'before'> & { readonly run: RunId };

/** What is known of a run from its events, those that were read. Owns the fold of them. */
export class RunReading {
  readonly run: RunId;
  readonly session: SessionId;
  private readonly records = new RunRecords();
  private readonly said: FinalText;
  private readonly asked = new Map<string, ActionKind>();
  private row: ReturnType<RunRecords['take']>[number] | null = null;
  private updated = 0;
  private last = '';

  constructor({ run, session }: Pick<RunPlace, 'run' | 'session'>) {
    this.run = run;
    this.session = session;
    this.said = new FinalText(run);
  }

  /** An event of the session, in its turn. Returns its type where clients are shown it. @throws Problem not_found: erased */
  push(recorded: RecordedEvent): string | null {
    if (recorded.isErased === true || recorded.type === 'session_erased') throw notFound('the run');
    if (recorded.meta.run !== this.run) return null;
    const event = knownSessionEvent(recorded);
    if (event === null) return null;
    this.records.push(this.session, event);
    this.row ??= this.records.take()[0] ?? null;
    if (recorded.isUnreadable !== true) this.said.push(recorded);
    if (event.type === 'agent_action_required') this.asked.set(event.data.action_id, event.data.kind);
    if (event.type === 'agent_action_resolved') this.asked.delete(event.data.action_id);
    this.updated = event.time;
    if (!isPublicType(event.type)) return null;
    this.last = event.type;
    return event.type;
  }

  get status(): RunStatus {
    return this.row?.status ?? 'queued';
  }

  get isOver(): boolean {
    return hasEnded(this.status);
  }

  /** The visible text of its last turn. */
  get response(): ResponseText {
    return this.said.text;
  }

  /** US dollars, as text. */
  get cost(): string {
    return formatDollars(this.row?.spent.cost ?? 0n);
  }

  get error(): RunError | null {
    return this.row?.error ?? null;
  }

  /** ms since 1970 */
  get createdAt(): number {
    return this.row?.createdAt ?? this.updated;
  }

  get updatedAt(): number {
    return this.updated;
  }

  /** What tool servers go on with by themselves is nobody's to decide. */
  get waitsForSomebody(): boolean {
    return this.status === 'waiting' && this.asked.size > 0;
  }

  /** What a run that is under way does, or waits for. */
  get activity(): string {
    switch (this.status) {
      case 'queued':
        return 'waits for its turn';
      case 'waiting':
        if (!this.waitsForSomebody) return 'waits for a tool server';
        return `waits for somebody: ${[...new Set(this.asked.values())].join(', ')}`;
      case 'running':
        return `runs; the last that it said is ${this.last}`;
      case 'completed':
      case 'failed':
      case 'cancelled':
        return this.status;
    }
  }
}
