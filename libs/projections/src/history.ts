import {
  type Content,
  type GivenItem,
  type RecordedSessionEvent,
  type Revision,
  type RunBeginning,
  type RunId,
  assertNever,
  givenHistory,
} from '#domain/browser';

export type MessageType = 'user_message' | 'agent_thinking' | 'agent_response' | 'agent_tool_use';

/** A message of the history; a streamed block is one message of many pieces. */
export interface HistoryMessage {
  readonly type: MessageType;
  readonly run: RunId;
  /** Revision where the message begins: of `agent_started`, of a block's `_start`, of the tool use, of `agent_steered`. */
  readonly revision: Revision;
  readonly pieces: readonly Content[];
  /** Of a run's message: revision of the `run_requested` that holds it; -1: its claim does not open. */
  readonly requested?: Revision;
}

/**
 * Folds a session's events into the messages that they add to its history. Feed it in order; it may start after any
 * revision at which no block is open.
 */
export class HistoryFold {
  private open: {
    type: 'agent_thinking' | 'agent_response';
    run: RunId;
    revision: Revision;
    pieces: Content[];
  } | null = null;
  private readonly requests = new Map<string, RunBeginning>();
  /** After a clear, until the next run starts: what the run under way still writes belongs to no history. */
  private isHidden: boolean;
  private claim: { run: RunId; requested: Revision; isSilent: boolean } | null = null;

  constructor(
    private readonly sink: HistorySink,
    start: { readonly isHidden: boolean } = { isHidden: false },
  ) {
    this.isHidden = start.isHidden;
  }

  /** Revision of the open block's start, or null. What was folded before it is complete. */
  get openSince(): number | null {
    return this.open?.revision ?? null;
  }

  get hides(): boolean {
    return this.isHidden;
  }

  push(event: RecordedSessionEvent): void {
    const run = event.meta.run ?? '';
    switch (event.type) {
      case 'run_requested':
        this.requests.set(run, event.data);
        return;
      case 'run_claimed':
        this.claim = { run, requested: event.data.requested, isSilent: isSilent(event.data) };
        return;
      case 'agent_started':
        return this.start(run, event.revision);
      case 'items_given':
        // It is of no run: the block that is being written goes on behind it.
        return this.addItems(event.data.items, run, event.revision);
      case 'messages_cleared':
        this.open = null;
        this.isHidden = true;
        return this.sink.clear(event.revision);
      case 'agent_thinking_start':
        return this.begin('agent_thinking', run, event.revision);
      case 'agent_response_start':
        return this.begin('agent_response', run, event.revision);
      case 'agent_thinking':
      case 'agent_response':
        if (this.open?.type === event.type) this.open.pieces.push(event.data.content);
        return;
      case 'session_opened':
        // In a fork: what its parent was saying is as long as it was.
        return this.close();
      case 'agent_tool_use':
        this.close();
        return this.add({ type: event.type, run, revision: event.revision, pieces: [event.data.content] });
      case 'agent_steered':
        if (run === this.open?.run) this.close();
        return this.add({
          type: 'user_message',
          run,
          revision: event.revision,
          pieces: [event.data.content],
        });
      case 'agent_tool_use_start':
      case 'agent_step':
      case 'agent_completed':
      case 'agent_error':
      case 'agent_cancelled':
        // Anybody may write into the stream while a block is being written: only its own run ends it.
        if (run === this.open?.run) this.close();
        return;
      case 'agent_task_scheduled':
      case 'agent_tool_response':
      case 'agent_handoff':
      case 'agent_workflow_step':
      case 'agent_final_output':
      case 'agent_warning':
      case 'agent_action_required':
      case 'agent_action_resolved':
      case 'agent_drift':
      case 'agent_compacted':
      case 'agent_cost':
      case 'tools_offered':
      case 'tool_task_started':
      case 'tool_input_required':
      case 'tool_input_given':
      case 'tool_call_begun':
      case 'tool_calls_reopened':
      case 'run_parked':
      case 'run_woken':
      case 'run_steered':
      case 'session_forked':
      case 'run_refused':
      case 'response_requested':
      case 'response_deleted':
      case 'conversation_metadata_set':
      case 'model_turn_completed':
      case 'model_called':
      case 'usage_kept':
      case 'model_turn_failed':
      case 'tool_call_completed':
      case 'workflow_attempt_started':
      case 'workflow_attempt_failed':
      case 'workflow_step_completed':
      case 'workflow_tool_responded':
      case 'run_cancel_requested':
      case 'session_erased':
        return;
      default:
        return assertNever(event);
    }
  }

  /** Closes the block that is still being written: it appears with the text so far. */
  finish(): void {
    this.close();
  }

  private start(run: RunId, revision: Revision): void {
    this.close();
    this.isHidden = false;
    const claim = this.claim?.run === run ? this.claim : null;
    const beginning = this.requests.get(run);
    this.requests.delete(run);
    if (claim?.isSilent) return;
    const requested = claim?.requested ?? -1;
    if (beginning === undefined) return this.sink.addRequest(run, revision, requested);
    const { message, items } = beginning;
    if (items !== undefined) return this.addItems(items, run, revision);
    this.add({ type: 'user_message', run, revision, pieces: [message], requested });
  }

  private addItems(items: readonly GivenItem[], run: RunId, revision: Revision): void {
    for (const message of givenHistory(items)) this.add({ ...message, run, revision });
  }

  private begin(type: 'agent_thinking' | 'agent_response', run: RunId, revision: Revision): void {
    this.close();
    this.open = { type, run, revision, pieces: [] };
  }

  private close(): void {
    const block = this.open;
    this.open = null;
    if (block !== null && block.pieces.length > 0) this.add(block);
  }

  private add(message: HistoryMessage): void {
    if (!this.isHidden) this.sink.add(message);
  }
}

/** The run has no message of its own. */
const isSilent = ({
  isCancelled,
  isRetry,
}: {
  readonly isCancelled?: true;
  readonly isRetry?: true;
}): boolean => isCancelled === true || isRetry === true;

export interface HistorySink {
  add(message: HistoryMessage): void;
  /** A run's message whose `run_requested` lies before what was folded, at the revision `requested`. */
  addRequest(run: RunId, revision: Revision, requested: Revision): void;
  /** Everything so far is gone from the history. */
  clear(revision: Revision): void;
}
