import {
  type ContextFold,
  type ContextMessage,
  type Draft,
  type ProjectId,
  type RecordedSessionEvent,
  type Revision,
  type RunState,
  type SessionId,
  type SessionState,
  evolveRun,
} from '#domain';
import type { WorkflowRuns } from '#workflow';
import type { ContentStore } from '#vault';
import type { RunSink } from './block-writer.js';
import type { TextType } from './journal-entry.js';
import type { Journal } from './journal.js';
import type { Replay } from './replay.js';
import type { RunWriter } from './run-writer.js';
import { TurnPlaces } from './turn-places.js';

export interface RunRecordParts {
  readonly session: SessionId;
  readonly journal: Pick<Journal, 'write' | 'writeText' | 'decided' | 'settled' | 'hasRoom' | 'room'>;
  readonly writer: RunWriter;
  readonly contents: ContentStore;
  /** The run as far as the log holds it. */
  readonly state: RunState;
  /** What the model has been told and has said, up to the same point. */
  readonly context: ContextFold;
  /** The workflows that its latest turn called. */
  readonly workflows: WorkflowRuns;
  /** Where the run gives another one again; null: it does not. */
  readonly replay?: Replay | null;
}

/**
 * The record of a run that this process drives: what the log holds of it, what is on its way there, and the one way to add
 * to it. Turns, tools and workflow steps are given this, and tell of nothing beside it.
 */
export class RunRecord implements RunSink {
  readonly session: SessionId;
  readonly project: ProjectId;
  readonly contents: ContentStore;
  readonly workflows: WorkflowRuns;
  readonly replay: Replay | null;
  private readonly journal: RunRecordParts['journal'];
  /** What the model is told, up to what was written last. */
  readonly context: ContextFold;
  private writer: RunWriter;
  private readonly listeners = new Set<() => void>();
  private readonly places = new TurnPlaces();
  private known: RunState;

  constructor({ session, journal, writer, contents, state, context, workflows, replay }: RunRecordParts) {
    this.session = session;
    this.project = writer.meta.project;
    this.contents = contents;
    this.workflows = workflows;
    this.replay = replay ?? null;
    this.journal = journal;
    this.context = context;
    this.writer = writer;
    this.known = state;
  }

  /** Id of the key that started the run. */
  get key(): string {
    return this.writer.meta.actor;
  }

  get run(): string {
    return this.writer.claim.run;
  }

  /** With all that was written, also what is not on the log yet. */
  get state(): RunState {
    return this.known;
  }

  /** What the model is shown of the session. */
  get messages(): readonly ContextMessage[] {
    return this.context.messages;
  }

  /** Why nothing that is written goes to the log any more, or null. */
  get lost(): Error | null {
    return this.writer.lost;
  }

  write(drafts: readonly Draft[]): void {
    this.journal.write(this.writer, drafts);
    for (const draft of drafts) this.take(this.asRecorded(draft));
  }

  /**
   * Writes what depends on what others wrote meanwhile; resolves with it when it is on the log, and known here.
   * @throws ClaimLost, or why the log refused it for good
   */
  async decided(decide: (state: SessionState) => readonly Draft[]): Promise<readonly Draft[]> {
    const drafts = await this.journal.decided(this.writer, decide);
    for (const draft of drafts) this.take(this.asRecorded(draft));
    return drafts;
  }

  /** Takes in what others wrote about this run: a decision, its result, a message. */
  hear(event: RecordedSessionEvent): void {
    this.take(event);
    for (const tell of this.listeners) tell();
  }

  /** An event that was written here, and at which a turn ends, is on the log. */
  placed(type: string, revision: Revision): void {
    if (this.places.isAwaited(type, revision)) this.context.placed(revision);
  }

  /** Calls `listener` whenever others have written something, until what is returned is called. */
  onNews(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  writeText(type: TextType, text: string): void {
    this.journal.writeText(this.writer, type, text);
    if (type === 'agent_response') this.context.push(this.asRecorded({ type, data: { content: text } }));
  }

  /** Resolves when everything that was written is on the log. @throws ClaimLost, or why the log refused it for good */
  settled(): Promise<void> {
    return this.journal.settled(this.writer);
  }

  /** Whether less than an append's worth of text waits. */
  get hasRoom(): boolean {
    return this.journal.hasRoom;
  }

  /** Resolves when there is room. */
  room(): Promise<void> {
    return this.journal.room();
  }

  /** Goes on without what the log has refused. */
  goOnWithout(): void {
    this.writer = this.writer.again();
  }

  private take(event: RecordedSessionEvent): void {
    this.known = evolveRun(this.known, event);
    this.context.push(event);
    this.workflows.push(event);
    this.replay?.push(event);
  }

  private asRecorded(draft: Draft): RecordedSessionEvent {
    return { ...draft, revision: this.places.of(draft.type), time: 0, meta: this.writer.meta };
  }
}
