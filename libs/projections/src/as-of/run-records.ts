import {
  type CallSums,
  type FileRef,
  MAX_WARNINGS,
  type Mode,
  NO_CALLS,
  type PicoDollars,
  type ProjectId,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type RunMetadata,
  type RunWarning,
  type SessionId,
  type Trigger,
  assertNever,
  callOfTurn,
  isFileRef,
  isPublicType,
  parseDollars,
  warningOf,
  withCall,
} from '#domain/browser';

export const RUN_STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const hasEnded = (status: RunStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** A run as lists tell of it. */
export interface ListedRun {
  run: RunId;
  session: SessionId;
  project: ProjectId;
  /** Revision of its `run_requested`; a second one of the same run changes nothing. */
  requested: Revision;
  status: RunStatus;
  mode: Mode;
  model: string;
  trigger: Trigger;
  /** The run that it goes on with. */
  retryOf: RunId | null;
  /** The run that it gives again. */
  replayOf: RunId | null;
  /** Calls of a replay that the record holds no result of; null: it is none. */
  drift: number | null;
  actor: string;
  /** ms since 1970, as all times. */
  createdAt: number;
  startedAt: number | null;
  /** When the first of what the model said was stored. */
  firstTokenAt: number | null;
  endedAt: number | null;
  /** Of its model calls. */
  spent: CallSums;
  error: RunError | null;
  /** Revision of its last public event. */
  lastEventId: Revision | null;
  warnings: readonly RunWarning[];
  /** A file: it stands in the run's configuration there, and is to be read. */
  metadata: RunMetadata | FileRef;
}

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/** Runs that ended and are remembered, so that a second request of one of them changes nothing. */
const ENDED_KEPT = 64;

/** The runs of a session: those that may still change, and the newest that ended. */
export class RunRecords {
  private readonly rows = new Map<string, ListedRun>();
  private changed = new Set<ListedRun>();
  private costChange: PicoDollars = 0n;

  load(rows: readonly ListedRun[]): void {
    for (const row of rows) this.rows.set(row.run, row);
  }

  get hasChanges(): boolean {
    return this.changed.size > 0;
  }

  get(run: RunId): ListedRun | undefined {
    return this.rows.get(run);
  }

  statusOf(run: RunId): RunStatus | null {
    return this.rows.get(run)?.status ?? null;
  }

  /** Whether the event is the run's request, and not a repeat of it. */
  isRequest(event: RecordedSessionEvent): boolean {
    return this.rows.get(event.meta.run ?? '')?.requested === event.revision;
  }

  /** What the runs cost more since the last call. */
  takeCost(): PicoDollars {
    const change = this.costChange;
    this.costChange = 0n;
    return change;
  }

  /** The rows that changed since the last call. */
  take(): readonly ListedRun[] {
    const taken = [...this.changed];
    this.changed = new Set();
    return taken;
  }

  /** A piece of text: it moves what a client has seen, and is written with the next change of the row. */
  noteText(run: RunId | undefined, revision: Revision): void {
    const row = run === undefined ? undefined : this.rows.get(run);
    if (row !== undefined) row.lastEventId = revision;
  }

  push(session: SessionId, event: RecordedSessionEvent): void {
    const run = event.meta.run;
    if (run === undefined) return;
    if (event.type === 'run_requested') return this.request(session, run, event);
    const row = this.rows.get(run);
    if (row === undefined) return;
    const before = row.spent.cost;
    // A cost that cannot be read says nothing that the turns have not said.
    const isUnreadCost = event.type === 'agent_cost' && event.isUnreadable === true;
    if (!isUnreadCost && changeOf(row, event)) this.changed.add(row);
    if (row.spent.cost !== before) this.costChange += row.spent.cost - before;
    if (isPublicType(event.type)) row.lastEventId = event.revision;
  }

  private request(session: SessionId, run: RunId, event: Of<'run_requested'>): void {
    if (this.rows.has(run)) return;
    const { mode, model, trigger, config } = event.data;
    const row: ListedRun = {
      run,
      session,
      project: event.meta.project,
      requested: event.revision,
      mode,
      model,
      trigger,
      actor: event.meta.actor,
      retryOf: event.data.retry_of?.run ?? null,
      replayOf: event.data.replay_of?.run ?? null,
      drift: event.data.replay_of === undefined ? null : 0,
      createdAt: event.time,
      status: 'queued',
      startedAt: null,
      firstTokenAt: null,
      endedAt: null,
      spent: NO_CALLS,
      error: null,
      warnings: [],
      metadata: isFileRef(config) ? config : (config.metadata ?? {}),
      lastEventId: null,
    };
    this.rows.set(run, row);
    this.changed.add(row);
    this.forgetOldest();
  }

  private forgetOldest(): void {
    if (this.rows.size <= 2 * ENDED_KEPT) return;
    const ended = [...this.rows.values()].filter((row) => isOver(row) && !this.changed.has(row));
    for (const row of ended.slice(0, -ENDED_KEPT)) this.rows.delete(row.run);
  }
}

/** A cancelled run that waited still has its three events before it. */
const isOver = (row: ListedRun): boolean =>
  hasEnded(row.status) && (row.status !== 'cancelled' || row.lastEventId !== null);

/** Returns whether the row must be written. */
function changeOf(row: ListedRun, event: RecordedSessionEvent): boolean {
  switch (event.type) {
    case 'agent_started':
      return start(row, event.time);
    case 'agent_thinking_start':
    case 'agent_response_start':
    case 'agent_tool_use_start':
      return hearModel(row, event.time);
    case 'run_parked':
      row.status = 'waiting';
      return true;
    case 'run_woken':
    case 'agent_action_resolved':
      // It goes on when there is room.
      if (row.status !== 'waiting') return false;
      row.status = 'queued';
      return true;
    case 'run_claimed':
      if (row.status !== 'waiting' && (row.status !== 'queued' || row.startedAt === null)) return false;
      row.status = 'running';
      return true;
    case 'run_cancel_requested':
      // A running one is cancelled when it says so.
      return row.status === 'queued' && row.startedAt === null && end(row, 'cancelled', event.time);
    case 'model_called':
      row.spent = withCall(row.spent, event.data);
      return true;
    case 'model_turn_completed': {
      const call = callOfTurn(event.data, row);
      if (call !== null) row.spent = withCall(row.spent, call);
      return call !== null;
    }
    case 'agent_cost':
      row.spent = { ...row.spent, cost: parseDollars(event.data.cost) };
      return true;
    case 'agent_drift':
      row.drift = (row.drift ?? 0) + 1;
      return true;
    case 'agent_warning':
      row.warnings = [...row.warnings, warningOf(event)].slice(0, MAX_WARNINGS);
      return true;
    case 'agent_completed':
      return end(row, 'completed', event.time);
    case 'agent_cancelled':
      // One that was cancelled while it waited ended then.
      return end(row, 'cancelled', row.endedAt ?? event.time);
    case 'agent_error':
      row.error = errorOf(event);
      return end(row, 'failed', event.time);
    case 'agent_task_scheduled':
    case 'agent_thinking':
    case 'agent_response':
    case 'agent_tool_use':
    case 'agent_tool_response':
    case 'agent_step':
    case 'agent_handoff':
    case 'agent_workflow_step':
    case 'agent_final_output':
    case 'agent_compacted':
    case 'agent_action_required':
    case 'agent_steered':
    case 'tools_offered':
    case 'tool_task_started':
    case 'tool_input_required':
    case 'tool_input_given':
    case 'tool_call_begun':
    case 'tool_calls_reopened':
    case 'run_steered':
    case 'session_opened':
    case 'session_forked':
    case 'run_requested':
    case 'run_refused':
    case 'response_requested':
    case 'items_given':
    case 'response_deleted':
    case 'conversation_metadata_set':
    case 'usage_kept':
    case 'model_turn_failed':
    case 'tool_call_completed':
    case 'workflow_attempt_started':
    case 'workflow_attempt_failed':
    case 'workflow_step_completed':
    case 'workflow_tool_responded':
    case 'messages_cleared':
    case 'session_erased':
      return false;
    default:
      return assertNever(event);
  }
}

const errorOf = ({ data: { code, content, retryable } }: Of<'agent_error'>): RunError => ({
  code,
  message: content,
  retryable,
});

function start(row: ListedRun, at: number): boolean {
  if (row.status !== 'queued') return false;
  row.status = 'running';
  row.startedAt = at;
  return true;
}

function hearModel(row: ListedRun, at: number): boolean {
  if (row.firstTokenAt !== null) return false;
  row.firstTokenAt = at;
  return true;
}

function end(row: ListedRun, status: RunStatus, at: number): true {
  row.status = status;
  row.endedAt = at;
  return true;
}
