import type { ActionId, ActionOutcome, Revision, TurnToolCall } from '#domain';

/** A call that is made here, as it is shown while it is. */
export interface ShownCall {
  end(output: string, isError: boolean): void;
  /** The run ended before it did. */
  cutOff(): void;
}

/** A call of the open turn. */
export interface FaceCall {
  readonly call: TurnToolCall;
  /** Revision of its `agent_tool_use`; null: it was said elsewhere, or not yet. */
  use: Revision | null;
  action: { readonly id: ActionId; isOpen: boolean } | null;
  /** What somebody decided on it. */
  decided: { readonly decision: ActionOutcome; readonly reason: string | null } | null;
  /** What the model is told of it; null: nothing yet. */
  result: string | null;
  shown: ShownCall | null;
}
