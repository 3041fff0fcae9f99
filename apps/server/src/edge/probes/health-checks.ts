/** What the service says about one thing that it needs. */
export interface Check {
  readonly name: string;
  readonly isOk: boolean;
  /** Whether the service is not ready without it. */
  readonly isRequired: boolean;
  /** What is wrong, without secrets. */
  readonly detail?: string;
}

/** Port: what `/readyz` asks. It must answer within a second or so and never throw. */
export abstract class HealthChecks {
  abstract check(): Promise<readonly Check[]>;
}
