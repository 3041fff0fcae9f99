import type { AttemptRef, Content, SessionEvent, Workflow, WorkflowStep } from '#domain/browser';
import { DueSteps } from './due-steps.js';

export type StepState =
  /** Not started: a dependency is open, or there is no room yet. */
  | { readonly status: 'pending' }
  | { readonly status: 'running'; readonly attempt: number; readonly errors: readonly string[] }
  /** Between two attempts; `attempt` is the next one, `errors` are those of the last. */
  | {
      readonly status: 'waiting';
      readonly attempt: number;
      readonly errors: readonly string[];
      readonly nextAt: number;
    }
  | { readonly status: 'completed'; readonly attempt: number; readonly output: Content }
  | {
      readonly status: 'skipped' | 'failed';
      /** 0: it never began. */
      readonly attempt: number;
      readonly errors: readonly string[];
    };

const PENDING: StepState = { status: 'pending' };

/** Events that a workflow's state is made of. */
export type WorkflowEvent = Extract<
  SessionEvent,
  { type: 'workflow_attempt_started' | 'workflow_attempt_failed' | 'workflow_step_completed' }
>;

/**
 * One call of `run_workflow`: how far each step has come, as a fold of the call's events. What follows from an event (a
 * dependant that is skipped) is part of the fold, so the log needs no event of its own for it.
 *
 * 1. Each step moves on only: an event that repeats what is known changes nothing.
 * 2. An event costs no more than the edges that leave its step: nothing here looks at all of the steps.
 */
export class WorkflowState {
  private readonly steps = new Map<string, StepState>();
  private readonly defined: ReadonlyMap<string, WorkflowStep>;
  private readonly dependants = new Map<string, string[]>();
  /** How many dependencies are not completed. */
  private readonly missing = new Map<string, number>();
  /** Steps in the order in which they came to be ready; those before `firstReady` have started or were skipped. */
  private readonly ready: string[] = [];
  private firstReady = 0;
  private readonly due = new DueSteps();
  private readonly running = new Set<string>();
  private failure: string | null = null;

  /** @param workflow with a graph that validateWorkflows takes */
  constructor(readonly workflow: Workflow) {
    this.defined = new Map(workflow.steps.map((step) => [step.id, step]));
    for (const { id, depends_on } of workflow.steps) {
      this.steps.set(id, PENDING);
      this.missing.set(id, depends_on.length);
      if (depends_on.length === 0) this.ready.push(id);
      for (const before of depends_on) {
        const after = this.dependants.get(before);
        if (after === undefined) this.dependants.set(before, [id]);
        else after.push(id);
      }
    }
  }

  /** @throws RangeError where the workflow has no such step */
  step(id: string): StepState {
    const state = this.steps.get(id);
    if (state === undefined) throw new RangeError(`workflow ${this.workflow.id} has no step ${id}`);
    return state;
  }

  /** @throws RangeError where the workflow has no such step */
  definition(id: string): WorkflowStep {
    const step = this.defined.get(id);
    if (step === undefined) throw new RangeError(`workflow ${this.workflow.id} has no step ${id}`);
    return step;
  }

  /** The step that failed for good, or null. From then on no other starts. */
  get failedStep(): string | null {
    return this.failure;
  }

  /** Steps whose attempt has started and not ended. */
  get runningSteps(): ReadonlySet<string> {
    return this.running;
  }

  /** Steps that wait for their next attempt, the next first. */
  get waitingSteps(): DueSteps {
    return this.due;
  }

  /**
   * Steps that may start, in the order in which they came to it, at most `most`. (A Set that shrinks at its beginning
   * would do, but takes ever longer to iterate.)
   */
  readySteps(most: number): readonly string[] {
    while (this.firstReady < this.ready.length && !this.isPending(this.ready[this.firstReady]))
      this.firstReady++;
    const ids: string[] = [];
    for (let i = this.firstReady; i < this.ready.length && ids.length < most; i++) {
      const id = this.ready[i];
      if (id !== undefined && this.isPending(id)) ids.push(id);
    }
    return ids;
  }

  /** Takes an event of this call. Returns the steps that are skipped because of it, but for the event's own. */
  push(event: WorkflowEvent): readonly string[] {
    const id = event.data.step_id;
    const state = this.step(id);
    switch (event.type) {
      case 'workflow_attempt_started':
        this.start(id, state, event.data);
        return [];
      case 'workflow_step_completed':
        this.complete(id, state, event.data);
        return [];
      case 'workflow_attempt_failed':
        return this.fail(id, state, event.data);
    }
  }

  private start(id: string, state: StepState, { attempt }: AttemptRef): void {
    if (isPast(state, attempt)) return;
    const errors = state.status === 'running' || state.status === 'waiting' ? state.errors : [];
    this.moved(id, { status: 'running', attempt, errors });
  }

  private complete(
    id: string,
    state: StepState,
    { attempt, output }: AttemptRef & { output: Content },
  ): void {
    if (isPast(state, attempt)) return;
    this.moved(id, { status: 'completed', attempt, output });
    for (const after of this.dependants.get(id) ?? []) {
      const missing = (this.missing.get(after) ?? 0) - 1;
      this.missing.set(after, missing);
      if (missing === 0 && this.isPending(after)) this.ready.push(after);
    }
  }

  private fail(
    id: string,
    state: StepState,
    data: Extract<WorkflowEvent, { type: 'workflow_attempt_failed' }>['data'],
  ): readonly string[] {
    const { attempt, errors, next_at } = data;
    if (isPast(state, attempt)) return [];
    if (next_at !== null) {
      this.moved(id, { status: 'waiting', attempt: attempt + 1, errors, nextAt: next_at });
      return [];
    }
    const isOptional = this.definition(id).optional === true;
    this.moved(id, { status: isOptional ? 'skipped' : 'failed', attempt, errors });
    if (isOptional) return this.skipDependants(id);
    if (this.failure !== null) return [];
    this.failure = id;
    return this.skipPending();
  }

  /** Dependants of a step that gives no output, and theirs. */
  private skipDependants(of: string): readonly string[] {
    const skipped: string[] = [];
    const causes = [of];
    for (let cause = causes.pop(); cause !== undefined; cause = causes.pop()) {
      for (const id of this.dependants.get(cause) ?? []) {
        if (!this.isPending(id)) continue;
        this.skip(id, `its dependency ${cause} has no output`);
        skipped.push(id);
        causes.push(id);
      }
    }
    return skipped;
  }

  /** A workflow fails once, so going through all of its steps is within invariant 2. */
  private skipPending(): readonly string[] {
    const skipped = [...this.steps.keys()].filter((id) => this.isPending(id));
    for (const id of skipped) this.skip(id, `the workflow failed at step ${this.failure} before it started`);
    return skipped;
  }

  private skip(id: string, reason: string): void {
    this.moved(id, { status: 'skipped', attempt: 0, errors: [reason] });
  }

  private isPending(id: string | undefined): boolean {
    return id !== undefined && this.steps.get(id) === PENDING;
  }

  private moved(id: string, to: StepState): void {
    this.steps.set(id, to);
    this.due.remove(id);
    this.running.delete(id);
    if (to.status === 'running') this.running.add(id);
    else if (to.status === 'waiting') this.due.add(id, to.nextAt);
  }
}

/** Invariant 1: whether the step has come further than an event of this attempt can take it. */
function isPast(state: StepState, attempt: number): boolean {
  if (state.status === 'pending') return false;
  return state.status === 'running' || state.status === 'waiting' ? attempt < state.attempt : true;
}
