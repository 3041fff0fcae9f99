import type { Draft, Workflow } from '#domain';
import { WorkflowState, completeStep, failAttempt, nextSteps, startAttempt } from '#workflow';

/** A graph; each step fails so many of its attempts before one is good. */
export interface Plan {
  readonly workflow: Workflow;
  readonly failures: ReadonlyMap<string, number>;
  readonly bound: number;
  /** Which of the running attempts ends next, over and over. */
  readonly order: readonly number[];
}

/** Plays a plan to its end; `watch` sees the state before each decision, and each append as it is made. */
export class Playing {
  now = 1_000_000;
  readonly appends: (readonly Draft[])[] = [];
  private picked = 0;

  constructor(
    readonly plan: Plan,
    public state = new WorkflowState(plan.workflow),
  ) {}

  toEnd(watch: (playing: Playing) => void = () => {}): this {
    for (;;) {
      watch(this);
      const { start, waitUntil, isDone } = nextSteps(this.state, this.now, this.plan.bound);
      for (const { step, attempt } of start) this.append(startAttempt(this.state, this.ref(step, attempt)));
      if (isDone) return this;
      if (start.length > 0) continue;
      if (this.state.runningSteps.size > 0) this.endOne();
      else this.now = waitUntil ?? this.now;
    }
  }

  private endOne(): void {
    const running = [...this.state.runningSteps];
    const turn = this.plan.order[this.picked++ % this.plan.order.length] ?? 0;
    const id = running[turn % running.length] ?? '';
    const step = this.state.step(id);
    const attempt = step.status === 'running' ? step.attempt : 0;
    const ref = this.ref(id, attempt);
    const fails = attempt <= (this.plan.failures.get(id) ?? 0);
    this.append(
      fails ? failAttempt(this.state, ref, ['broke'], this.now) : completeStep(this.state, ref, id),
    );
  }

  private append(drafts: readonly Draft[]): void {
    this.appends.push(drafts);
  }

  private ref(step_id: string, attempt: number) {
    return { call_id: 'c1', workflow_id: 'w', step_id, attempt };
  }
}
