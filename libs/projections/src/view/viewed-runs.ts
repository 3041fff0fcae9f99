import {
  type CallState,
  type RecordedSessionEvent,
  type Revision,
  type RunConfig,
  type RunId,
  type RunState,
  type SessionId,
  evolveRun,
  isFileRef,
  newRun,
  retried,
} from '#domain/browser';
import { type ListedRun, RunRecords, hasEnded } from '../as-of/run-records.js';
import { WorkflowRuns, type WorkflowState } from '#workflow';

/** A claim of a run: from here on this worker drives it. */
export interface ViewedClaim {
  readonly revision: Revision;
  /** ms since 1970 */
  readonly time: number;
  readonly worker: string;
  readonly epoch: number;
}

/** A call of `run_workflow`, with how far its steps have come. */
export interface ViewedWorkflow {
  readonly callId: string;
  readonly state: WorkflowState;
}

/** A run as it stood. */
export interface ViewedRun {
  /** As lists told of it. */
  readonly listed: ListedRun;
  /** What its driver decided its next action from. */
  readonly state: RunState;
  readonly claims: readonly ViewedClaim[];
  /** Of its latest turn, those without a result; none where it has ended. */
  readonly openCalls: readonly CallState[];
  /** In the order in which they began. */
  readonly workflows: readonly ViewedWorkflow[];
}

/** What is folded of a run that was asked for. */
interface Folding {
  state: RunState;
  readonly workflows: WorkflowRuns;
  readonly claims: ViewedClaim[];
  readonly called: Map<WorkflowState, string>;
}

/** Folds a session's events, from its first on, into its runs. Owns them. */
export class ViewedRuns {
  private readonly records = new RunRecords();
  private readonly runs = new Map<RunId, Folding>();

  constructor(private readonly session: SessionId) {}

  push(event: RecordedSessionEvent): void {
    this.records.push(this.session, event);
    const { run } = event.meta;
    if (run === undefined) return;
    if (event.type === 'run_requested') return this.request(run, event);
    const folding = this.runs.get(run);
    if (folding === undefined) return;
    folding.state = evolveRun(folding.state, event);
    folding.workflows.push(event);
    if (event.type === 'run_claimed') folding.claims.push(claimOf(event));
    if (event.type === 'workflow_attempt_started') noteWorkflow(folding, event.data.call_id);
  }

  /** In the order in which they were asked for. */
  finish(): readonly ViewedRun[] {
    return [...this.runs].flatMap(([run, { state, claims, called }]) => {
      const listed = this.records.get(run);
      if (listed === undefined) return [];
      const openCalls = hasEnded(listed.status) ? [] : state.calls.filter(({ result }) => result === null);
      const workflows = [...called].map(([workflow, callId]) => ({ callId, state: workflow }));
      return [{ listed, state, claims, openCalls, workflows }];
    });
  }

  /** A repeated request changes nothing. */
  private request(run: RunId, { data }: Extract<RecordedSessionEvent, { type: 'run_requested' }>): void {
    if (this.runs.has(run)) return;
    const config: RunConfig = isFileRef(data.config) ? {} : data.config;
    const before = data.retry_of && this.runs.get(data.retry_of.run);
    // What another run said of a workflow is gone on with in a state of its own: that of before is not changed.
    const workflows = new WorkflowRuns(config.workflows ?? []);
    const state =
      before === undefined ? newRun({ ...data, config }) : retried(before.state, { ...data, config });
    this.runs.set(run, { state, workflows, claims: [], called: new Map() });
  }
}

const claimOf = ({
  revision,
  time,
  data,
}: Extract<RecordedSessionEvent, { type: 'run_claimed' }>): ViewedClaim => ({
  revision,
  time,
  worker: data.worker,
  epoch: data.epoch,
});

/** A call's id may come again in a later turn: its state is another one then. */
function noteWorkflow({ workflows, called }: Folding, callId: string): void {
  const call = workflows.of(callId);
  if (call !== undefined) called.set(call.state, callId);
}
