import type { RunEnd, TurnToolCall, ProjectId, RunId, SessionId } from '#domain';
import type { ModelPiece } from '../model/model-client.js';
import type { ToolOutcome } from '../tools/tool.js';

/** What is known of a run when its driving begins. No content. */
export interface RunFacts {
  readonly run: RunId;
  readonly session: SessionId;
  readonly project: ProjectId;
  readonly mode: string;
  readonly model: string;
  readonly trigger: string;
  /** Of its request, in ms since 1970. */
  readonly requestedAt: number;
  /** 1 for the first claim of the run; more: others drove it before. */
  readonly epoch: number;
  /** `traceparent` of what caused it, as the log holds it. */
  readonly cause?: string | undefined;
  /** What its finished calls of the model have taken until now, those of other processes too. */
  readonly usage: () => { readonly inputTokens: number; readonly outputTokens: number };
}

export type ModelEnd = Extract<ModelPiece, { kind: 'end' }>;

/**
 * Port: looks on while runs are driven, for figures and traces. It does the work that it is given, once, and hands on what
 * comes of it, unchanged.
 */
export abstract class RunWatch {
  /** The driving of a run in this process. null: it goes on elsewhere. */
  abstract run(facts: RunFacts, drive: () => Promise<RunEnd | null>): Promise<RunEnd | null>;
  /** One request to the model; of a turn that is asked again there are several. */
  abstract modelCall(model: string, ask: () => Promise<ModelEnd>): Promise<ModelEnd>;
  /** `make` is told the `traceparent` that whoever carries the call out may go on with; undefined: there is none. */
  abstract toolCall(
    call: TurnToolCall,
    make: (traceparent: string | undefined) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome>;
}

/** Nobody looks on. */
export const UNWATCHED: RunWatch = new (class extends RunWatch {
  override run(_: RunFacts, drive: () => Promise<RunEnd | null>): Promise<RunEnd | null> {
    return drive();
  }
  override modelCall(_: string, ask: () => Promise<ModelEnd>): Promise<ModelEnd> {
    return ask();
  }
  override toolCall(
    _: TurnToolCall,
    make: (traceparent: undefined) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    return make(undefined);
  }
})();
