import {
  type RecordedSessionEvent,
  type Revision,
  type RunConfig,
  type RunId,
  type SessionId,
  callOfTurn,
  isEndType,
  withCall,
} from '#domain';
import { isCallers, openMcpCall, sayFunctionCall } from './call-items.js';
import type { FaceCall } from './face-call.js';
import { FaceCalls } from './face-calls.js';
import { type ShownItem, decisionItem, messageGiven, outputItem, shownItems, textOf } from './given-view.js';
import { approvalRequestId, itemId } from './ids.js';
import { OWN_LABEL } from './items.js';
import { openMessage } from './open-block.js';
import { type Hear, Passage, type PassageEnd, endOfTurn, placeOf } from './passage.js';
import { previousOf, responseOf } from './response.js';
import { type ResponseSettings, hasFormat, settingsOfConfig } from './settings.js';
import { type ShownEvent, isShown } from './shown-events.js';
import { Steering } from './steering.js';
import { changedInput, configOf, parsed } from './stored-values.js';
import { TurnText } from './turn-text.js';

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/** Whoever listens to the n-th passage of a run. */
export type HearPassage = (passage: number, run: RunId) => Hear | null;

/**
 * A run as responses: folds its events, in their order and with their texts read, into its passages, and says each record
 * of their streams when the event that brings it comes. A function of the log alone. Of a run that goes on with others
 * theirs come first, or are folded before.
 */
export class RunFace {
  readonly passages: Passage[] = [];
  private calls: FaceCalls;
  private requested: Of<'run_requested'> | null = null;
  private asked: Of<'response_requested'> | null = null;
  private settings: ResponseSettings = {};
  private text: TurnText;
  /** Answers of the caller that came in another way: the event of the decision, until the result stands behind it. */
  private readonly answered = new Map<FaceCall, Revision>();
  private readonly steering = new Steering();
  private settled: RunConfig = {};
  private finish = '';
  /** It has a turn behind it that was not claimed anew. */
  private isStarted = false;
  private isOver = false;

  /** @param before the run that it goes on with, where that is folded by itself; its calls are asked anew */
  constructor(
    private readonly session: SessionId,
    private readonly listen: HearPassage = () => null,
    before: RunFace | null = null,
  ) {
    this.calls = before?.calls ?? new FaceCalls();
    this.text = new TurnText(session, false);
  }

  get current(): Passage | null {
    return this.passages.at(-1) ?? null;
  }

  /** Of the last run that was asked for. */
  get request(): Of<'run_requested'> | null {
    return this.requested;
  }

  /** Nothing more comes. */
  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Its settings: those of the request, or what a response has asked for since then. */
  get config(): RunConfig {
    return this.settled;
  }

  push(event: RecordedSessionEvent): void {
    if (event.type === 'response_requested') {
      this.asked = event;
      if (event.data.config !== undefined) this.settled = event.data.config;
      return;
    }
    if (event.type === 'run_requested') return this.begin(event);
    if (event.type === 'agent_action_resolved') return this.resolve(event);
    if (event.type === 'run_steered') return this.steering.come();
    if (event.type === 'agent_steered') return this.steering.tell(event, this.current);
    this.isOver ||= isEndType(event.type);
    const passage = this.current;
    if (passage === null || passage.end !== null) return;
    if (isShown(event)) this.take(event, passage);
    if (passage.end === null && this.calls.areWaiting) this.wait(passage, event);
  }

  private take(event: ShownEvent, passage: Passage): void {
    switch (event.type) {
      case 'agent_started':
        this.isStarted = true;
        passage.status = 'in_progress';
        return passage.say('in_progress', () => ({ response: responseOf(passage) }));
      case 'run_cancel_requested':
        if (!this.isStarted) passage.status = 'cancelled';
        return;
      case 'agent_thinking_start':
      case 'agent_response_start':
        return this.text.begin(passage, event.type === 'agent_response_start', event.revision);
      case 'agent_thinking':
      case 'agent_response':
        return this.text.add(textOf(event.data.content));
      case 'model_turn_failed':
      case 'run_claimed':
        return this.text.breakOff();
      case 'model_called':
        passage.spent = withCall(passage.spent, event.data);
        return;
      case 'model_turn_completed':
        return this.completeTurn(event, passage);
      case 'agent_tool_use':
        return this.use(event, passage);
      case 'tool_calls_reopened':
        return this.calls.reopen(event.data);
      case 'tool_input_required':
        return this.calls.input(event.data);
      case 'agent_action_required':
        return this.ask(event, passage);
      case 'tool_call_completed':
        return this.takeResult(event, passage);
      case 'agent_final_output': {
        const block = openMessage(passage, this.session, event.revision);
        block.add(textOf(event.data.content));
        return block.close('completed');
      }
      case 'agent_completed':
        return this.end(passage, endOfTurn(event, this.finish));
      case 'agent_error': {
        const { code, content: message } = event.data;
        return this.end(passage, { status: 'failed', ...placeOf(event), error: { code, message } });
      }
      case 'agent_cancelled':
        return this.end(passage, { status: 'cancelled', ...placeOf(event) });
    }
  }

  private begin(event: Of<'run_requested'>): void {
    const { data, meta, revision } = event;
    const config = configOf(data.config);
    this.settled = config;
    const { asked } = this;
    this.asked = null;
    this.requested = event;
    this.isStarted = false;
    this.isOver = false;
    this.passages.length = 0;
    this.calls = this.calls.goneOnWith();
    this.settings = asked === null ? settingsOfConfig(config) : parsed(asked.data.settings);
    const given = data.items ?? (data.retry_of === undefined ? messageGiven(data.message) : []);
    this.open({
      given: shownItems(given, this.session, asked?.revision ?? revision),
      run: meta.run ?? '',
      time: (asked ?? event).time,
    });
  }

  private open(of: {
    readonly given: readonly ShownItem[];
    readonly run: string;
    readonly time: number;
    readonly isUnrequested?: boolean;
  }): Passage {
    const number = this.passages.length + 1;
    const { session, settings } = this;
    const mode = this.requested?.data.mode ?? 'base';
    const passage = new Passage({ session, number, settings, mode, ...of }, this.listen(number, of.run));
    this.passages.push(passage);
    this.text = new TurnText(session, hasFormat(settings));
    passage.say('created', () => ({ response: responseOf(passage) }));
    return passage;
  }

  private completeTurn({ data }: Of<'model_turn_completed'>, passage: Passage): void {
    const { mode = 'base', model = '' } = this.requested?.data ?? {};
    const call = callOfTurn(data, { mode, model });
    if (call !== null) passage.spent = withCall(passage.spent, call);
    if (data.final_output) return;
    this.calls.turn(data);
    if (data.step !== undefined) return;
    this.finish = data.finish_reason;
    this.text.complete(data.finish_reason === 'length');
  }

  private use({ revision }: Of<'agent_tool_use'>, passage: Passage): void {
    const used = this.calls.use(revision);
    if (used === null) return;
    const { call } = used;
    if (call.needs === 'caller') return sayFunctionCall(passage, this.session, revision, call);
    const isHidden = call.needs !== undefined || isCallers(call, this.settled);
    if (!isHidden) used.shown = openMcpCall(passage, this.session, revision, call);
  }

  private takeResult({ data }: Of<'tool_call_completed'>, passage: Passage): void {
    const call = this.calls.result(data);
    if (call === null) return;
    const text = textOf(data.content);
    call.shown?.end(text, data.is_error === true);
    const decided = this.answered.get(call);
    this.answered.delete(call);
    if (decided === undefined || call.use === null) return;
    const { session } = this;
    const callId = itemId('call', session, call.use);
    passage.given.push(outputItem(itemId('fco', session, decided), callId, text));
  }

  private ask({ data }: Of<'agent_action_required'>, passage: Passage): void {
    const asked = this.calls.ask(data.action_id, data.kind);
    if (asked === null || data.kind !== 'approval') return;
    const { name, server, tool, arguments: input } = asked.call;
    passage.close(
      passage.add({
        id: approvalRequestId(data.action_id),
        type: 'mcp_approval_request',
        arguments: input,
        name: tool ?? name,
        server_label: server ?? OWN_LABEL,
      }),
    );
  }

  /** A decision begins a passage where the one before has ended, whoever decided. */
  private resolve(event: Of<'agent_action_resolved'>): void {
    const { current } = this;
    if (current === null) return;
    const { action_id: id, decision } = event.data;
    const call = this.calls.resolve(event.data);
    const passage = current.end === null ? current : this.goOn(current, event);
    if (call === null) return;
    if (passage.isUnrequested) this.noteDecision(event, passage, call);
    if (decision !== 'approve') return;
    const input = changedInput(event.data.content);
    const made = input === undefined ? call.call : { ...call.call, arguments: JSON.stringify(input) };
    call.shown = openMcpCall(passage, this.session, event.revision, made, approvalRequestId(id));
  }

  private goOn(before: Passage, event: Of<'agent_action_resolved'>): Passage {
    const { asked } = this;
    this.asked = null;
    this.settings = asked === null ? followingOf(before) : parsed(asked.data.settings);
    this.steering.expect(asked?.data.items ?? []);
    const passage = this.open({
      given: asked === null ? [] : shownItems(asked.data.items ?? [], this.session, asked.revision),
      run: before.beginning.run,
      time: (asked ?? event).time,
      isUnrequested: asked === null,
    });
    passage.status = 'in_progress';
    passage.say('in_progress', () => ({ response: responseOf(passage) }));
    return passage;
  }

  /** What somebody decided who sent no request of ours. */
  private noteDecision(
    { data, revision }: Of<'agent_action_resolved'>,
    passage: Passage,
    call: FaceCall,
  ): void {
    const { action_id: action, decision, content } = data;
    if (call.call.needs === 'caller') return void this.answered.set(call, revision);
    const isApproved = decision === 'approve';
    const { reason = null } = parsed<{ reason?: string }>(content);
    passage.given.push(decisionItem(itemId('mcpa', this.session, revision), { action, isApproved, reason }));
  }

  private wait(passage: Passage, event: RecordedSessionEvent): void {
    passage.waits = this.calls.open;
    this.end(passage, endOfTurn(event, this.finish));
  }

  private end(passage: Passage, end: PassageEnd): void {
    this.text.breakOff();
    for (const { shown, result } of this.calls.all) if (result === null) shown?.cutOff();
    passage.end = end;
    passage.status = end.status;
    // Clients know of no event for it, and take an unknown one for a fault.
    const type = end.status === 'cancelled' ? 'incomplete' : end.status;
    passage.say(type, () => ({ response: responseOf(passage) }));
  }
}

/** Of a passage that nobody requested here. */
const followingOf = (before: Passage): ResponseSettings => ({
  ...before.beginning.settings,
  previous_response_id: previousOf(before),
});
