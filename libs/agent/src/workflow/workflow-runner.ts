import { uncheckedWarning, type SchemaInUse, type Validation } from '#json-schema';
import type { AttemptRef, Content, Draft, SessionId, Workflow, WorkflowStep } from '#domain';
import {
  type WorkflowCall,
  WorkflowState,
  completeStep,
  failAttempt,
  nextSteps,
  resultOf,
  startAttempt,
} from '#workflow';
import type { ContentStore } from '#vault';
import type { Clock } from '#platform';
import { TurnFailed } from '../model/model-turn.js';
import type { ToolOutcome } from '../tools/tool.js';
import { stepMessage } from './step-message.js';

/** Attempts of one call that are under way at once. */
export const PARALLEL_STEPS = 8;

/** The attempt gave no output; a TurnFailed counts as this, too. */
export class AttemptFailed extends Error {
  override readonly name = 'AttemptFailed';
}

/** The attempt can go no further before somebody decides: it is taken up again when somebody has. */
export class AttemptWaits extends Error {
  override readonly name = 'AttemptWaits';
}

/** Nothing of the workflow can go any further before somebody decides. Its call has no result yet. */
export class WorkflowWaits extends Error {
  override readonly name = 'WorkflowWaits';
}

export interface AttemptRequest {
  readonly ref: AttemptRef;
  readonly step: WorkflowStep;
  /** The last user message; what the attempt has said so far follows it. */
  readonly message: string;
}

export interface WorkflowPorts {
  readonly clock: Clock;
  readonly contents: ContentStore;
  readonly inUse: (schema: object) => SchemaInUse;
  /**
   * The text of the attempt's last turn. Journals its turns and tool calls itself; asks for nothing that the log holds.
   * Stops promptly when the signal is aborted. @throws AttemptFailed, AttemptWaits, TurnFailed, or what ends the run
   */
  runAttempt(request: AttemptRequest, signal: AbortSignal): Promise<string>;
  /** Calls `listener` whenever somebody may have decided, until what is returned is called. */
  onNews(listener: () => void): () => void;
  /** Appends the drafts together. Resolves when they are on the log. */
  record(drafts: readonly Draft[]): Promise<void>;
}

export interface WorkflowRequest {
  readonly session: SessionId;
  readonly callId: string;
  readonly workflow: Workflow;
  readonly input?: string;
  /** What the log holds of this call, where another process began it. */
  readonly known?: WorkflowCall;
}

type Attempt =
  | { readonly ref: AttemptRef; readonly output: Content; readonly news: readonly Draft[] }
  | { readonly ref: AttemptRef; readonly errors: readonly string[] };

/**
 * Carries out one call of `run_workflow`. Owns the state of the call and its attempts.
 *
 * 1. Steps that do not depend on each other run at the same time, PARALLEL_STEPS at most.
 * 2. What an attempt came to is on the log before anything starts because of it.
 * 3. An attempt that waits for somebody takes no place from others, and is taken up again at every news.
 * 4. Nothing is recorded after the signal is aborted, and no attempt outlives `run`.
 */
export class WorkflowRunner {
  private readonly state: WorkflowState;
  private readonly tasks = new Set<Promise<void>>();
  private ended: Attempt[] = [];
  /** Steps whose attempt waits for somebody. */
  private readonly waiting = new Set<string>();
  /** How often somebody may have decided, and how often of that what waits was taken up again. */
  private news = 0;
  private heeded = 0;
  private fault: { readonly error: unknown } | null = null;
  private wake: () => void = () => {};

  constructor(
    private readonly ports: WorkflowPorts,
    private readonly request: WorkflowRequest,
  ) {
    this.state = request.known?.state ?? new WorkflowState(request.workflow);
  }

  /** What the agent is told. @throws WorkflowWaits; the signal's reason when it is aborted; what runAttempt and record throw */
  async run(signal: AbortSignal): Promise<ToolOutcome> {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const aborted = () => this.wake();
    signal.addEventListener('abort', aborted);
    const stopListening = this.ports.onNews(() => {
      this.news++;
      this.wake();
    });
    try {
      for (const id of this.state.runningSteps) this.launch(id, both);
      while (!(await this.advance(both)));
      return await this.outcome();
    } finally {
      signal.removeEventListener('abort', aborted);
      stopListening();
      stop.abort(new Error('the workflow is over'));
      await Promise.all(this.tasks);
    }
  }

  /** Returns whether the workflow is done. */
  private async advance(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    if (this.fault !== null) throw this.fault.error;
    if (this.ended.length > 0) {
      await this.recordEnds();
      return false;
    }
    if (this.news !== this.heeded) this.takeUp(signal);
    const { clock } = this.ports;
    const bound = PARALLEL_STEPS + this.waiting.size;
    const { start, waitUntil, isDone } = nextSteps(this.state, clock.now(), bound);
    if (start.length > 0) {
      const drafts = start.flatMap(({ step, attempt }) => startAttempt(this.state, this.ref(step, attempt)));
      await this.ports.record(drafts);
      for (const { step } of start) this.launch(step, signal);
    } else if (!isDone) {
      if (this.tasks.size === 0 && waitUntil === null)
        throw new WorkflowWaits('every step waits for somebody');
      await this.change(waitUntil);
    }
    return isDone;
  }

  /** Invariant 3. */
  private takeUp(signal: AbortSignal): void {
    this.heeded = this.news;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const step of waiting) this.launch(step, signal);
  }

  /** Invariant 2. One append each: together they may be too large for one. */
  private async recordEnds(): Promise<void> {
    const now = this.ports.clock.now();
    const records = this.ended
      .splice(0)
      .map((attempt) =>
        this.ports.record(
          'output' in attempt
            ? [...completeStep(this.state, attempt.ref, attempt.output), ...attempt.news]
            : failAttempt(this.state, attempt.ref, attempt.errors, now),
        ),
      );
    await Promise.all(records);
  }

  /** Resolves when an attempt has ended or waits, at news, when the signal is aborted, or at `until`. */
  private async change(until: number | null): Promise<void> {
    let cancel = () => {};
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (until !== null) cancel = this.ports.clock.timer(until - this.ports.clock.now(), resolve);
    });
    cancel();
  }

  private launch(id: string, signal: AbortSignal): void {
    const now = this.state.step(id);
    if (now.status !== 'running') return;
    const { news } = this;
    const task = this.attempt(this.ref(id, now.attempt), now.errors, signal)
      .then(
        (attempt) => void this.ended.push(attempt),
        (error: unknown) => {
          if (!(error instanceof AttemptWaits)) this.fault ??= { error };
          else this.waits(id, news);
        },
      )
      .then(() => {
        this.tasks.delete(task);
        this.wake();
      });
    this.tasks.add(task);
  }

  /** What was decided meanwhile may be what it waits for. */
  private waits(step: string, news: number): void {
    this.waiting.add(step);
    if (news !== this.news) this.heeded = -1;
  }

  private async attempt(ref: AttemptRef, errors: readonly string[], signal: AbortSignal): Promise<Attempt> {
    const step = this.state.definition(ref.step_id);
    try {
      const message = await this.messageOf(step, errors);
      const text = await this.ports.runAttempt({ ref, step, message }, signal);
      const found = await this.judged(step, text);
      if (!found.ok) return { ref, errors: found.errors };
      const output = await this.ports.contents.store(this.request.session, text);
      const warning = uncheckedWarning(`the output of step "${step.name}"`, found.unchecked);
      return { ref, output, news: warning === null ? [] : [warning] };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttemptFailed || error instanceof TurnFailed)
        return { ref, errors: [error.message] };
      throw error;
    }
  }

  /** A step's text is its output; where it has a schema, what the text means has to validate. */
  private async judged({ output_schema: schema }: WorkflowStep, text: string): Promise<Validation> {
    return schema === undefined ? { ok: true, value: text } : this.ports.inUse(schema).validateText(text);
  }

  private async messageOf(step: WorkflowStep, errors: readonly string[]): Promise<string> {
    const { workflow, input } = this.request;
    const outputs = await Promise.all(
      step.depends_on.map(async (id) => {
        const before = this.state.step(id);
        return { step: id, text: before.status === 'completed' ? await this.textOf(before.output) : '' };
      }),
    );
    return stepMessage({ workflow, step, outputs, errors, ...(input === undefined ? {} : { input }) });
  }

  private async outcome(): Promise<ToolOutcome> {
    const result = resultOf(this.state);
    const steps = await Promise.all(
      result.steps.map(async (step) =>
        step.output === undefined ? step : { ...step, output: await this.textOf(step.output) },
      ),
    );
    const content = JSON.stringify({ ...result, steps });
    return result.status === 'failed' ? { content, isError: true } : { content };
  }

  private textOf(content: Content): Promise<string> | string {
    return this.ports.contents.text(this.request.session, content);
  }

  private ref(step_id: string, attempt: number): AttemptRef {
    const { callId, workflow } = this.request;
    return { call_id: callId, workflow_id: workflow.id, step_id, attempt };
  }
}
