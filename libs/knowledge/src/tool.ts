/** What a run offers to the agent; the same shape as a tool of `#agent`. */
export interface KnowledgeTool {
  readonly definition: {
    readonly name: string;
    readonly description: string;
    /** JSON schema of the arguments. */
    readonly parameters: object;
  };
  /** Whether a call whose result was lost may be made again. */
  readonly isRepeatable: boolean;
  call(input: unknown, signal: AbortSignal): Promise<KnowledgeOutcome>;
}

export interface KnowledgeOutcome {
  readonly content: string;
  readonly isError?: boolean;
}

export const failed = (content: string): KnowledgeOutcome => ({ content, isError: true });

/** An object's field, or undefined. */
export const fieldOf = (input: unknown, name: string): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input) && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined;
