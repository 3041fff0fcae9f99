import type { ModelRequest } from '#agent';
import { type RunConfig, type WorkflowStep, sessionStream } from '#domain';
import { House, type HouseOptions } from './house.js';
import { LedgerTool } from './ledger-tool.js';
import { publicLines, resultsIn, stepAsked } from './run-script.js';
import { type ClientStep, done, text, toolCall } from './scripted-client.js';
import type { TempLog } from './temp-log.js';
import { stepOf, workflowOf } from './workflows.js';

/** What the model says in a step; `n` counts the requests for it from 0. */
export type InStep = (step: string, n: number, request: ModelRequest) => readonly ClientStep[];

export const says = (what: string): readonly ClientStep[] => [text(what), done()];
const output: InStep = (step) => says(`output of ${step}`);

export const WORK = toolCall('w1', 'run_workflow', { workflow_id: 'w', input: 'the facts' });
export const DIAMOND = [stepOf('a'), stepOf('b'), stepOf('c', ['b', 'a'])];

export const configOf = (steps: readonly WorkflowStep[], more: RunConfig = {}): RunConfig => ({
  workflows: [workflowOf(...steps)],
  ...more,
});

/** A process whose agent runs the workflow `w`, then says `well`. */
export class WorkflowHouse {
  readonly house: House;
  readonly look = new LedgerTool('look', { isRepeatable: true });
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly temp: TempLog,
    boot: string,
    private readonly inStep: InStep = output,
    options: Partial<HouseOptions> = {},
  ) {
    const script = (request: ModelRequest) => this.says(request);
    this.house = new House(temp, boot, { script, tools: [this.look], ...options });
  }

  async run(config: RunConfig) {
    return this.read(await this.house.run('hi', { config }));
  }

  async read(started: { readonly session: string; readonly run: string }) {
    const events = await this.temp.read(sessionStream(started.session));
    return { started, events, lines: publicLines(events, started.run) };
  }

  /** The requests for a step, or the main agent's. */
  requests(step: string | null): ModelRequest[] {
    return this.house.model.requests.filter((request) => stepAsked(request) === step);
  }

  /** What the tool answered the agent. */
  get answer(): unknown {
    const last = this.requests(null).at(-1);
    return last && (JSON.parse(resultsIn(last)[0]?.content ?? '') as unknown);
  }

  private says(request: ModelRequest): readonly ClientStep[] {
    const step = stepAsked(request);
    if (step === null) return resultsIn(request).length > 0 ? says('well') : [done(WORK)];
    const n = this.asked.get(step) ?? 0;
    this.asked.set(step, n + 1);
    return this.inStep(step, n, request);
  }
}

/** What is told of the steps. */
export const stepLines = (lines: readonly string[]): string[] =>
  lines
    .filter((line) => line.startsWith('workflow_step '))
    .map((line) => line.slice('workflow_step '.length));
