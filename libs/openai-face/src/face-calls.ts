import { type ActionId, type Revision, isAboutCall } from '#domain';
import type { ActionKind, SessionEvent } from '#domain';
import type { FaceCall } from './face-call.js';
import { textOf } from './given-view.js';

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];

/**
 * The calls of a run's latest turn of the main agent: which event is about which of them. Owns their states; what workflow
 * steps do is kept apart.
 */
export class FaceCalls {
  private calls: FaceCall[] = [];
  /** Of the latest turn, of a step or not: tool uses that stand behind it. */
  private unused: (FaceCall | null)[] = [];
  /** Those of which nobody was asked yet; null: a step asks. */
  private unasked: FaceCall[] | null = [];

  turn({ tool_calls: all = [], step }: DataOf<'model_turn_completed'>): void {
    const isOfStep = step !== undefined;
    if (isOfStep) {
      this.unused = all.map(() => null);
      this.unasked = null;
      return;
    }
    this.calls = all.map((call) => ({
      call,
      use: null,
      action: null,
      decided: null,
      result: null,
      shown: null,
    }));
    this.unused = [...this.calls];
    this.unasked = this.calls.filter(({ call }) => call.needs !== undefined);
  }

  reopen({ call_ids: ids, step }: DataOf<'tool_calls_reopened'>): void {
    this.unasked = step === undefined ? this.calls.filter(({ call }) => ids.includes(call.id)) : null;
  }

  /** A step's server wants something to be answered. */
  input({ step }: DataOf<'tool_input_required'>): void {
    this.unasked = step === undefined ? [] : null;
  }

  /** The call that a tool use is of; null: a step's. */
  use(revision: Revision): FaceCall | null {
    const call = this.unused.shift() ?? null;
    if (call !== null) call.use = revision;
    return call;
  }

  /** The call that an action is about; null: it is about none that is shown. */
  ask(id: ActionId, kind: ActionKind): FaceCall | null {
    if (!isAboutCall(kind)) return null;
    const call = this.unasked?.shift() ?? null;
    if (call !== null) call.action = { id, isOpen: true };
    return call;
  }

  resolve({ action_id: id, decision, content }: DataOf<'agent_action_resolved'>): FaceCall | null {
    const call = this.calls.find(({ action }) => action?.id === id) ?? null;
    if (!call?.action) return null;
    call.action.isOpen = false;
    const { reason = null } = JSON.parse(textOf(content) || '{}') as { readonly reason?: string };
    call.decided = { decision, reason };
    return call;
  }

  /** null: it has one already, or is not one of these. */
  result({ call_id, step, content }: DataOf<'tool_call_completed'>): FaceCall | null {
    if (step !== undefined) return null;
    const call = this.calls.find((one) => one.call.id === call_id && one.result === null) ?? null;
    if (call !== null) call.result = textOf(content);
    return call;
  }

  byId(id: string): FaceCall | null {
    return this.calls.find(({ call }) => call.id === id) ?? null;
  }

  /** Nothing can be done of the turn before somebody decides. */
  get areWaiting(): boolean {
    return this.calls.some(isOpen) && this.calls.every((call) => call.result !== null || isOpen(call));
  }

  /** Those of which it waits. */
  get open(): readonly FaceCall[] {
    return this.calls.filter(isOpen);
  }

  get all(): readonly FaceCall[] {
    return this.calls;
  }

  /** As another run finds them that goes on with them when this one has ended: it asks anew. */
  goneOnWith(): FaceCalls {
    const copies = new Map(this.calls.map((call) => [call, askedAnew(call)]));
    const copyOf = (call: FaceCall | null): FaceCall | null => (call && copies.get(call)) ?? null;
    const next = new FaceCalls();
    next.calls = [...copies.values()];
    next.unused = this.unused.map(copyOf);
    next.unasked = this.unasked && this.unasked.map(copyOf).filter((call) => call !== null);
    return next;
  }
}

const askedAnew = (call: FaceCall): FaceCall => ({
  ...call,
  shown: null,
  action: call.result === null ? null : call.action,
});

const isOpen = (call: FaceCall): boolean => call.action?.isOpen === true;
