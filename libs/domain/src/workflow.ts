/** How often a step is tried, and how long it waits in between. */
export interface RetryPolicy {
  /** 1 or more. */
  readonly max_attempts: number;
  readonly backoff: 'none' | 'fixed' | 'linear' | 'exponential';
  /** Default 1000. */
  readonly initial_delay_ms?: number;
}

export interface WorkflowStep {
  readonly id: string;
  readonly name: string;
  /** What is to be done; how is the agent's to decide. */
  readonly description: string;
  /** Ids of the steps whose outputs it needs; none: it may start at once. */
  readonly depends_on: readonly string[];
  /** A failure skips the step instead of failing the workflow. */
  readonly optional?: boolean;
  /** None: one attempt. */
  readonly retry_policy?: RetryPolicy;
  /** JSON schema that the output must satisfy. */
  readonly output_schema?: object;
}

/** A directed acyclic graph of steps. */
export interface Workflow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly steps: readonly WorkflowStep[];
}

/** Names a step on the log. Several calls of `run_workflow` may be under way at once, so the call is part of the name. */
export interface StepRef {
  /** Id of the `run_workflow` call, unique within its run. */
  readonly call_id: string;
  readonly workflow_id: string;
  readonly step_id: string;
}

/** One try of a step; the first is 1. */
export interface AttemptRef extends StepRef {
  readonly attempt: number;
}
