import type { ApprovalPolicy } from './actions/approval-policy.js';
import type { DatastoreQuery, DatastoreRef } from './datastores/datastore.js';
import type { Revision, RunId } from './ids.js';
import type { Workflow } from './workflow/workflow.js';

export type Mode = 'flash' | 'base' | 'max';
export type Trigger = 'request' | 'task' | 'kafka';
export type OnBusy = 'enqueue' | 'reject' | 'interrupt' | 'steer';

/** The run that is given again, whose request stands at the revision in its own session. */
export interface ReplayOf {
  readonly run: RunId;
  readonly requested: Revision;
  /** `recorded`: its tools are offered, and their calls have the results that they had then. */
  readonly tools: 'recorded' | 'none';
}

/** A run's settings as the log keeps them: secrets sealed, of MCP servers the names only. */
export interface RunConfig {
  readonly system?: string;
  readonly rules?: readonly string[];
  readonly streaming_tokens?: boolean;
  readonly workflows?: readonly Workflow[];
  /** To whom the conversation can be handed off. */
  readonly agents?: readonly SpecialistAgent[];
  /** Names only. */
  readonly mcp_servers?: readonly string[];
  readonly datastores?: readonly DatastoreRef[];
  /** Ready-made actions on the databases among them. */
  readonly queries?: readonly DatastoreQuery[];
  readonly final_output?: FinalOutputConfig;
  /** Which calls wait for a person. */
  readonly approvals?: ApprovalPolicy;
  /** Tools that the caller carries out. */
  readonly tools?: readonly CallerTool[];
  readonly metadata?: RunMetadata;
  /** What the run may cost before it waits: US dollars, a decimal string. */
  readonly budget?: string;
}

/** What a caller says of a run, for itself: key → value. */
export type RunMetadata = Readonly<Record<string, string>>;

/** A tool that whoever asked for the run carries out. */
export interface CallerTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly parameters: object;
}

export interface SpecialistAgent {
  readonly name: string;
  readonly description: string;
}

export interface FinalOutputConfig {
  readonly name: string;
  readonly strict?: boolean;
  /** JSON schema. */
  readonly schema: object;
}
