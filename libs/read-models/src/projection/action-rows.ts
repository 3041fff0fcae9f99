import {
  type ActionId,
  type RecordedSessionEvent,
  type RunId,
  type SessionId,
  isEndType,
  knownSessionEvent,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import type { ActionRow, ReadModelStore } from './rows.js';

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/** The actions that a batch changes. What closed one first stays: events that come a second time change nothing. */
export class ActionRows {
  private readonly rows = new Map<ActionId, ActionRow>();
  private readonly changed = new Set<ActionRow>();

  constructor(private readonly store: ReadModelStore) {}

  /** Makes ready the rows that the events close. */
  async prepare(events: readonly RecordedEvent[]): Promise<void> {
    const actions = new Set<ActionId>();
    const runs = new Set<RunId>();
    for (const recorded of events) {
      if (recorded.meta.run !== undefined && isEndType(recorded.type)) runs.add(recorded.meta.run);
      if (recorded.type !== 'agent_action_resolved') continue;
      const event = knownSessionEvent(recorded);
      if (event?.type === 'agent_action_resolved') actions.add(event.data.action_id);
    }
    if (actions.size === 0 && runs.size === 0) return;
    for (const row of await this.store.loadActions([...actions], [...runs])) this.rows.set(row.action, row);
  }

  push(session: SessionId, event: RecordedSessionEvent): void {
    if (event.type === 'agent_action_required') this.ask(session, event);
    else if (event.type === 'agent_action_resolved') this.resolve(event);
    else if (isEndType(event.type)) this.end(event);
  }

  /** The rows that changed. */
  take(): readonly ActionRow[] {
    return [...this.changed];
  }

  private ask(
    session: SessionId,
    { data, meta, time, revision, isUnreadable }: Of<'agent_action_required'>,
  ): void {
    if (isUnreadable === true || this.rows.has(data.action_id)) return;
    const row: ActionRow = {
      action: data.action_id,
      session,
      project: meta.project,
      run: meta.run ?? '',
      kind: data.kind,
      asked: revision,
      createdAt: time,
      expiresAt: Date.parse(data.expires_at),
      question: data.content,
      status: 'open',
      decision: null,
      actor: null,
      verdict: null,
      resolvedAt: null,
      overAt: null,
    };
    this.rows.set(row.action, row);
    this.changed.add(row);
  }

  private resolve({ data, time }: Of<'agent_action_resolved'>): void {
    const row = this.rows.get(data.action_id);
    if (row?.status !== 'open') return;
    const { decision, actor, content: verdict } = data;
    const status = decision === 'expired' ? 'expired' : 'resolved';
    Object.assign(row, { status, decision, actor, verdict, resolvedAt: time });
    this.changed.add(row);
  }

  /** What was open until then is closed without an event of its own. */
  private end({ meta, time }: RecordedSessionEvent): void {
    for (const row of this.rows.values()) {
      if (row.run !== meta.run || row.status !== 'open') continue;
      row.status = time < row.expiresAt ? 'cancelled' : 'expired';
      row.overAt = time;
      this.changed.add(row);
    }
  }
}
