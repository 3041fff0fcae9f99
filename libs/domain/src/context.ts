import type { Revision, RunId, SessionId } from './ids.js';
import { type Content, joinedPieces } from './content.js';
import { NOTHING_ENDED, movedBy } from './context-end.js';
import { type ContextMessage, NOT_MADE, OUTCOME_UNKNOWN, toolMessage } from './context-message.js';
import { ContextMessages, type LeftOut, type Room, type WhatIsLeftOut } from './context-messages.js';
import { TokenScale } from './context-tokens.js';
import { forkOf } from './fork/fork.js';
import type { GivenItem } from './given/given-item.js';
import { type Told, givenMessages } from './given/given-messages.js';
import { type RunBeginning, messagesOf } from './given/run-beginning.js';
import { assertNever } from './problem.js';
import { type ResultFile, shownImages } from './result-file.js';
import type { RecordedSessionEvent, SessionEvent } from './session-events.js';

type TurnData = Extract<SessionEvent, { type: 'model_turn_completed' }>['data'];

/**
 * Folds a session's events into the model's context. After any prefix each tool call is followed by exactly one result:
 * the model's API refuses a session for ever otherwise. Turns of workflow steps and answers to the request for the final
 * output are no part of it. What was said of a turn that broke counts only where the run ended with it: then it is the last
 * that the client saw. A turn that is taken again takes its place.
 */
export class ContextFold {
  /** How many tokens that is, as each model counted last. */
  readonly scale = new TokenScale();
  private readonly held = new ContextMessages();
  private readonly requests = new Map<string, RunBeginning>();
  /** Added while a run was under way: told to those that come after it. */
  private added: GivenItem[] = [];
  private text: Content[] = [];
  /** The text is that of a turn that broke. */
  private isBroken = false;
  /** Where the text stands if the run ends with it: before what steered the run since; null: at the end. */
  private textAt: number | null = null;
  private isHidden = false;
  /** The run that has no message of its own: it was cancelled while it waited, or goes on where another ended. */
  private silentRun: string | null = null;
  /** Of the run under way: how many messages there were at its start or its last closed step; null: none is. */
  private closedAt: number | null = null;
  /** What steered it since. */
  private steeredSince: ContextMessage[] = [];
  private atEnd = NOTHING_ENDED;

  get messages(): readonly ContextMessage[] {
    return this.held.all;
  }

  /** What a compaction stands for, and is not among the messages; null: nothing. */
  get leftOut(): WhatIsLeftOut | null {
    return this.held.leftOut;
  }

  /** What a compaction would leave out; null: it is not worth it. */
  planned(room: Room): LeftOut | null {
    return this.held.planned(room);
  }

  /** A step's end, a message taken in or the run's end stands at this revision, which was not known when it was taken. */
  placed(revision: Revision): void {
    this.held.placed(revision);
  }

  /**
   * What a run that starts here is told. Of a run under way that is its message, what steered it and its closed steps: no
   * half turn, and no call that is open.
   */
  settled(): readonly ContextMessage[] {
    const { closedAt, messages, steeredSince } = this;
    return closedAt === null ? messages : [...messages.slice(0, closedAt), ...steeredSince];
  }

  /** A run starts with this message, or with what was given instead. @param startedAt revision of its `agent_started` */
  begin(beginning: RunBeginning, startedAt: Revision): void {
    this.isHidden = false;
    this.takeText();
    this.held.begin(this.answered(messagesOf(beginning)), startedAt);
    this.closeStep();
  }

  push(event: RecordedSessionEvent): void {
    switch (event.type) {
      case 'run_requested':
        this.requests.set(event.meta.run ?? '', event.data);
        return;
      case 'run_claimed':
        this.isBroken = true;
        this.silentRun = event.data.isCancelled || event.data.isRetry ? (event.meta.run ?? null) : null;
        if (event.data.isRetry) this.goOn();
        return;
      case 'agent_started':
        return this.start(event.meta.run ?? '', event.revision);
      case 'agent_response':
        this.dropBroken();
        this.text.push(event.data.content);
        return;
      case 'model_turn_failed':
        this.isBroken = true;
        return;
      case 'model_turn_completed':
        if (event.data.step !== undefined || event.data.final_output) return;
        return this.completeTurn(event.data);
      case 'tool_call_completed':
        if (event.data.step !== undefined) return;
        return this.setResult(event.data.call_id, event.data.content, shownImages(event.data.files));
      case 'tool_call_begun':
        if (event.data.step !== undefined) return;
        return this.setResult(event.data.call_id, OUTCOME_UNKNOWN);
      case 'session_opened':
        return this.branch(forkOf(event.data)?.forked_from.session);
      case 'agent_step':
        this.held.close(event.revision);
        return this.closeStep();
      case 'agent_steered':
        return this.takeIn(event.data.content, event.revision);
      case 'agent_compacted':
        return this.compact(event.data);
      case 'model_called':
        return this.scale.note(event.data);
      case 'agent_completed':
      case 'agent_error':
      case 'agent_cancelled':
        return this.endRun(event.revision);
      case 'messages_cleared':
        return this.clear();
      case 'items_given':
        return this.addItems(event.data.items);
      case 'agent_task_scheduled':
      case 'agent_thinking_start':
      case 'agent_thinking':
      case 'agent_response_start':
      case 'agent_tool_use_start':
      case 'agent_tool_use':
      case 'agent_tool_response':
      case 'agent_handoff':
      case 'agent_workflow_step':
      case 'agent_final_output':
      case 'agent_warning':
      case 'agent_action_required':
      case 'agent_action_resolved':
      case 'agent_drift':
      case 'agent_cost':
      case 'usage_kept':
      case 'tools_offered':
      case 'tool_task_started':
      case 'tool_input_required':
      case 'tool_input_given':
      case 'tool_calls_reopened':
      case 'run_parked':
      case 'run_woken':
      case 'run_steered':
      case 'session_forked':
      case 'run_refused':
      case 'response_requested':
      case 'response_deleted':
      case 'conversation_metadata_set':
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

  private start(run: RunId, revision: Revision): void {
    this.isHidden = false;
    this.takeText();
    const beginning = this.requests.get(run);
    this.requests.delete(run);
    const isTold = beginning !== undefined && this.silentRun !== run;
    this.held.begin(isTold ? this.answered(messagesOf(beginning)) : null, revision);
    // One that takes up another has the steps that the other had closed.
    if (this.closedAt === null) this.closeStep();
  }

  /** What follows is that of a fork: of a run that was under way it is told as `settled` says. */
  private branch(parent: SessionId | undefined): void {
    if (parent === undefined) return;
    const { closedAt, steeredSince } = this;
    this.held.branch(
      parent,
      (message, at) => closedAt === null || at < closedAt || steeredSince.includes(message),
    );
    this.requests.clear();
    this.takeText();
    this.isHidden = false;
    this.silentRun = null;
    this.closedAt = null;
    this.steeredSince = [];
    this.atEnd = NOTHING_ENDED;
  }

  /** A turn that was under way is taken again behind it. What a cleared run still writes stands in no later context. */
  private compact({ content, from, through }: LeftOut & { readonly content: Content }): void {
    this.isBroken = true;
    if (this.isHidden) return;
    const counted = this.closedAt ?? this.messages.length;
    const closedAt = this.held.compact(content, { from, through }, counted);
    if (this.closedAt !== null) this.closedAt = closedAt;
    this.textAt = null;
    this.scale.forget();
  }

  private goOn(): void {
    this.held.remove(this.atEnd.at, this.atEnd.said);
    ({ closedAt: this.closedAt, steeredSince: this.steeredSince } = this.atEnd);
  }

  private addItems(items: readonly GivenItem[]): void {
    if (this.closedAt === null) this.held.add(...this.answered(givenMessages(items)));
    else this.added.push(...items);
  }

  /** Takes the results of calls that were given before, and returns the messages. No run is under way. */
  private answered({ messages, results }: Told): readonly ContextMessage[] {
    this.atEnd = this.held.answer(results).reduce(movedBy, this.atEnd);
    return messages;
  }

  private clear(): void {
    this.held.clear();
    this.scale.forget();
    this.added = [];
    this.isHidden = true;
    if (this.closedAt !== null) this.closeStep();
  }

  private closeStep(): void {
    this.closedAt = this.messages.length;
    this.steeredSince = [];
  }

  private completeTurn({ tool_calls: toolCalls = [], provider }: TurnData): void {
    this.dropBroken();
    const text = this.takeText();
    if (this.isHidden || (text.length === 0 && toolCalls.length === 0)) return;
    const content = text.pop() ?? '';
    for (const part of text) this.held.add({ role: 'assistant', content: part });
    this.held.add({
      role: 'assistant',
      content,
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
      ...(provider === undefined ? {} : { provider }),
    });
    for (const call of toolCalls)
      this.held.add({
        role: 'tool',
        callId: call.id,
        content: call.needs === undefined ? OUTCOME_UNKNOWN : NOT_MADE,
      });
  }

  /** Behind a turn that broke, that turn is taken again, or the run has ended with it. */
  private takeIn(message: Content, revision: Revision): void {
    if (this.isHidden) return this.held.close(revision);
    if (this.text.length > 0) {
      this.isBroken = true;
      this.textAt ??= this.messages.length;
    }
    const taken = { role: 'user' as const, content: message };
    this.held.add(taken);
    this.held.close(revision);
    this.steeredSince.push(taken);
  }

  /** What was said last counts, broken or not. */
  private endRun(revision: Revision): void {
    const { closedAt, steeredSince } = this;
    const at = this.textAt ?? this.messages.length;
    const text = this.takeText();
    const said = this.isHidden ? [] : text.map((content) => ({ role: 'assistant', content }) as const);
    this.held.insert(at, said);
    this.held.close(revision);
    this.atEnd = { at, said: said.length, closedAt, steeredSince };
    this.closedAt = null;
    this.addItems(this.added.splice(0));
  }

  /** The turn was taken again. */
  private dropBroken(): void {
    if (this.isBroken) this.takeText();
  }

  private takeText(): Content[] {
    const text = joinedPieces(this.text);
    this.text = [];
    this.textAt = null;
    this.isBroken = false;
    return text;
  }

  private setResult(callId: string, content: Content, images: readonly ResultFile[] = []): void {
    const at = this.messages.findLastIndex((m) => m.role === 'tool' && m.callId === callId);
    if (at >= 0 && !this.isHidden) this.held.replace(at, toolMessage(callId, content, images));
  }
}
