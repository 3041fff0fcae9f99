import type { ApprovalPolicy } from './actions/approval-policy.js';
import type { DatastoreQuery, DatastoreRef } from './datastores/datastore.js';
import type { Revision, RunId } from './ids.js';
import type { Workflow } from './workflow.js';

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
  /** Nothing is summed up: where the context is full the oldest turns are left out. */
  readonly compaction?: false;
  /** What the run may cost before it waits: US dollars, a decimal string. */
  readonly budget?: string;
  /** Handed to the model in each turn. */
  readonly sampling?: SamplingOptions;
  /** What the model may, or must, call in the first turn; `none`: in each turn. Absent: what it likes. */
  readonly tool_choice?: ToolChoice;
  /** A turn that calls tools of the caller is the last one: nobody is asked about them. */
  readonly ends_with_calls?: true;
}

/** By the names that Chat Completions has for them. */
export interface SamplingOptions {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly parallel_tool_calls?: boolean;
  readonly max_completion_tokens?: number;
  readonly reasoning_effort?: string;
  readonly verbosity?: string;
  readonly prompt_cache_key?: string;
  readonly prompt_cache_retention?: string;
  readonly safety_identifier?: string;
  readonly user?: string;
  readonly stop?: string | readonly string[];
  readonly seed?: number;
}

/** A tool by its name, where it is one of a tool server by that server's and its own there. */
export type ToolChoice = 'none' | 'required' | { readonly name: string; readonly server?: string };

/** What a caller says of a run, for itself: key → value. */
export type RunMetadata = Readonly<Record<string, string>>;

/** A tool that whoever asked for the run carries out. */
export interface CallerTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly parameters: object;
  /** Handed on to the model's server. */
  readonly strict?: boolean;
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
