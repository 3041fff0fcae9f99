import type { Draft, RunState, TurnToolCall, WorkflowRuns } from '#domain';
import type { SchemaInUse } from '#json-schema';
import { handoffNotice, handoffTools } from '../run/handoff.js';
import type { ModelTurn, TurnRequest } from '../model/model-turn.js';
import type { Situation } from '../model/prompt.js';
import type { RunWatch } from '../run/run-watch.js';
import type { Tool, Toolbox } from './tool.js';
import type { ToolRunner } from './tool-runner.js';
import { workflowInstructions } from '../workflow/run-workflow-tool.js';
import { StepAttempts } from '../workflow/step-attempts.js';
import { WorkflowTool } from '../workflow/workflow-tool.js';
import type { ContentStore } from '#vault';
import type { Clock } from '#platform';

export interface RunToolsPorts {
  readonly session: string;
  readonly clock: Clock;
  readonly contents: ContentStore;
  readonly inUse: (schema: object) => SchemaInUse;
  readonly turn: ModelTurn;
  readonly toolbox: Toolbox;
  /** Workflows that an earlier process left under way. */
  readonly workflows: WorkflowRuns;
  readonly runner: ToolRunner;
  readonly watch?: RunWatch | undefined;
  readonly state: () => RunState;
  readonly request: () => Omit<TurnRequest, 'messages' | 'tools' | 'sink'>;
  readonly write: (drafts: readonly Draft[]) => void;
  readonly settled: () => Promise<void>;
  readonly maxTurns: number;
}

/** What the agent can do in a run: hand off, carry out the caller's workflows, and use the tools of its toolbox. */
export class RunTools {
  private readonly attempts: StepAttempts;
  private readonly workflow: readonly Tool[];

  constructor(private readonly ports: RunToolsPorts) {
    this.attempts = new StepAttempts({
      ...ports,
      request: () => this.stepRequest(),
      tools: () => ports.toolbox.tools,
    });
    const { workflows = [] } = ports.state().config;
    this.workflow = workflows.length === 0 ? [] : [new WorkflowTool(workflows, this.workflowPorts())];
  }

  /** Ends what an earlier process has left open in workflow steps, where it cannot go on. */
  async giveUp(): Promise<void> {
    for (const attempt of this.ports.workflows.openAttempts) await this.attempts.giveUp(attempt);
  }

  /** What is offered now. */
  get all(): readonly Tool[] {
    const { toolbox, state } = this.ports;
    const { config, agent } = state();
    const { agents = [] } = config;
    if (agents.length === 0 && this.workflow.length === 0) return toolbox.tools;
    return [...handoffTools(agents, agent), ...this.workflow, ...toolbox.tools];
  }

  get situation(): Situation {
    const { config, agent } = this.ports.state();
    const { agents = [], workflows = [] } = config;
    const notices = [
      handoffNotice(agents),
      workflows.length === 0 ? null : workflowInstructions(workflows),
      ...(this.ports.toolbox.notices ?? []),
    ].filter((notice) => notice !== null);
    return { specialist: agents.find(({ name }) => name === agent), notices };
  }

  /** Who speaks, where nothing can be used: for the final output. */
  get situationWithoutTools(): Situation {
    return { specialist: this.situation.specialist, notices: [] };
  }

  /** Of the tools a step has those of the toolbox only, and is told of no others. */
  private stepRequest() {
    const { state, toolbox, request } = this.ports;
    const { specialist } = this.situation;
    return { ...request(), state: state(), situation: { specialist, notices: toolbox.notices ?? [] } };
  }

  private workflowPorts() {
    const { session, clock, contents, inUse, workflows, runner, write, settled } = this.ports;
    return {
      session,
      clock,
      contents,
      inUse,
      knownOf: (call: TurnToolCall) => (runner.isFresh(call) ? undefined : workflows.of(call.id)),
      runAttempt: this.attempts.run.bind(this.attempts),
      record: (drafts: readonly Draft[]) => {
        write(drafts);
        return settled();
      },
    };
  }
}
