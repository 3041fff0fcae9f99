import type { Content, Workflow, WorkflowStep } from '#domain';
import { isFileRef } from '#domain';
import type { StepScript } from '../world/script.js';
import type { Evidence, SessionLog, SessionRecord } from './evidence.js';

export interface Stamped {
  readonly event: SessionRecord;
  /** Of the claim under which it was written. */
  readonly epoch: number;
}

export interface AttemptFacts extends Stamped {
  readonly turns: (Stamped & { readonly text: string; readonly calls: string })[];
  ended: Stamped | null;
}

export interface StepFacts {
  readonly call: CallFacts;
  readonly definition: WorkflowStep;
  readonly script: StepScript;
  readonly attempts: AttemptFacts[];
  /** Statuses that clients were told. */
  readonly told: string[];
  output: string | null;
}

/** One call of `run_workflow`. */
export interface CallFacts {
  readonly run: RunClaims;
  readonly workflow: Workflow;
  /** Unique to the call, but where two prompts are the same. */
  readonly input: string;
  readonly steps: ReadonlyMap<string, StepFacts>;
  failed: boolean;
  isOver: boolean;
}

export interface RunClaims {
  readonly session: string;
  readonly run: string;
  readonly workflows: readonly Workflow[];
  readonly claims: { readonly epoch: number; readonly worker: string; readonly position: number }[];
  /** Of the latest turn. */
  readonly calls: Map<string, CallFacts>;
}

/** Reads content wherever it lies. */
export function textIn(session: SessionLog, content: Content, { textOf }: Evidence): string {
  return isFileRef(content) ? textOf(session.id, content.$file) : content;
}

/** null: the run has no workflows. */
export function claimsOf(session: SessionLog, event: SessionRecord, evidence: Evidence): RunClaims | null {
  if (event.type !== 'run_requested') return null;
  const { config } = event.data;
  const { workflows = [] } = isFileRef(config)
    ? (JSON.parse(textIn(session, config, evidence)) as { workflows?: readonly Workflow[] })
    : config;
  if (workflows.length === 0) return null;
  return { session: session.id, run: event.meta.run ?? '', workflows, claims: [], calls: new Map() };
}

/** null: it calls no workflow that there is. */
export function callOf(run: RunClaims, args: string): CallFacts | null {
  const { workflow_id: id, input } = JSON.parse(args) as { workflow_id: string; input: string };
  const workflow = run.workflows.find((w) => w.id === id);
  if (workflow === undefined) return null;
  const steps = new Map<string, StepFacts>();
  const call: CallFacts = { run, workflow, input, steps, failed: false, isOver: false };
  for (const definition of workflow.steps) {
    const script = JSON.parse(definition.description) as StepScript;
    steps.set(definition.id, { call, definition, script, attempts: [], told: [], output: null });
  }
  return call;
}
