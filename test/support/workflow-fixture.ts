import { type AttemptRequest, WorkflowRunner } from '#agent';
import { SchemaInUse } from '#json-schema';
import { AttemptTranscript, WorkflowRuns } from '#workflow';
import type { Draft, Workflow, WorkflowStep } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { ManualClock } from './manual-clock.js';
import { stepTurn, turn } from './session-tape.js';
import { workflowLine, workflowOf } from './workflows.js';
import { LOCAL_SCHEMAS } from './local-schemas.js';

export type Act = (request: AttemptRequest, signal: AbortSignal) => Promise<string>;

const contents = new ContentStore(new MemoryFileStore());
export const answer: Act = ({ ref }) => Promise.resolve(`output of ${ref.step_id}`);
export const settled = () => new Promise(setImmediate);

/** A call of run_workflow whose model and log are the test's. */
export class WorkflowFixture {
  readonly clock: ManualClock;
  readonly log: Draft[];
  /** What the model was asked for, e.g. `a 1`. */
  readonly asked: string[] = [];
  readonly messages: string[] = [];
  readonly controller = new AbortController();
  /** Stands before each append; by default for a turn of the event loop. */
  beforeAppend: (drafts: readonly Draft[]) => Promise<unknown> = settled;
  private readonly workflow: Workflow;
  private readonly runner: WorkflowRunner;
  private readonly runs: WorkflowRuns;

  constructor(
    steps: readonly WorkflowStep[],
    private readonly act: Act = answer,
    {
      log = [],
      clock = new ManualClock(),
      input,
    }: { log?: Draft[]; clock?: ManualClock; input?: string } = {},
  ) {
    this.workflow = workflowOf(...steps);
    this.log = [...log];
    this.clock = clock;
    this.runs = new WorkflowRuns([this.workflow]);
    for (const event of [turn('c1'), ...log]) this.runs.push(event);
    const known = this.runs.of('c1');
    this.runner = new WorkflowRunner(
      {
        clock,
        contents,
        inUse: (schema) => new SchemaInUse(LOCAL_SCHEMAS, schema, 'p'),
        onNews: () => () => undefined,
        runAttempt: (request, signal) => this.attempt(request, signal),
        record: async (drafts) => {
          await this.beforeAppend(drafts);
          this.log.push(...drafts);
        },
      },
      {
        session: 'ses_1',
        callId: 'c1',
        workflow: this.workflow,
        ...(known === undefined ? {} : { known }),
        ...(input === undefined ? {} : { input }),
      },
    );
  }

  run() {
    return this.runner.run(this.controller.signal);
  }

  /** The result, each step as `a completed`. */
  async result(): Promise<string[]> {
    const { steps } = JSON.parse((await this.run()).content) as { steps: { id: string; status: string }[] };
    return steps.map(({ id, status }) => `${id} ${status}`);
  }

  /** The same, with time passing as fast as it is waited for. */
  async toEnd(): Promise<string[]> {
    const over = { is: false };
    const ended = this.result().finally(() => (over.is = true));
    while (!over.is) {
      const [next] = this.clock.pending;
      if (next !== undefined) this.clock.advance(next);
      await settled();
    }
    return ended;
  }

  get lines(): string[] {
    return this.log.filter((d) => d.type !== 'model_turn_completed').map(workflowLine);
  }

  private async attempt(request: AttemptRequest, signal: AbortSignal): Promise<string> {
    const { ref, message } = request;
    const next = (this.runs.transcriptOf(ref) ?? new AttemptTranscript()).next(5);
    if (next.kind === 'finished') return next.text as string;
    this.asked.push(`${ref.step_id} ${ref.attempt}`);
    this.messages.push(message);
    const text = await this.act(request, signal);
    this.log.push(stepTurn(ref, text));
    return text;
  }
}
