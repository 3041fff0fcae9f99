import type { ToolDefinition } from './model-client.js';

export interface ToolOutcome {
  /** What the agent is told. */
  readonly content: string;
  readonly isError?: boolean;
}

/** Something that the agent may do. It tells of its failures in the outcome; what it throws counts as one, too. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Whether a call whose result was lost may be made again: it reads only, or twice is the same as once. */
  readonly isRepeatable: boolean;
  /** `input` is the parsed arguments. Stops promptly when the signal is aborted. */
  call(input: unknown, signal: AbortSignal): Promise<ToolOutcome>;
}

/** The tools of one run, opened when it is claimed and closed at its end. */
export interface Toolbox {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

export interface ToolboxRequest {
  readonly session: string;
  readonly run: string;
  readonly project: string;
}

export abstract class Toolboxes {
  abstract open(request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox>;
}

/** Offers the same tools to every run. */
export class FixedToolboxes extends Toolboxes {
  constructor(private readonly tools: readonly Tool[]) {
    super();
  }

  override open(): Promise<Toolbox> {
    return Promise.resolve({ tools: this.tools, close: () => Promise.resolve() });
  }
}
