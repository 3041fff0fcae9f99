import type { Clock } from '#platform';
import { handoffNotice, handoffTools } from '../run/handoff.js';
import type { ModelTurn } from '../model/model-turn.js';
import type { Situation } from '../model/prompt.js';
import type { RunRecord } from '../run/run-record.js';
import type { RunWatch } from '../run/run-watch.js';
import type { Schemas } from '#json-schema';
import type { Tool, Toolbox } from './tool.js';
import type { ToolRunner } from './tool-runner.js';
import { workflowInstructions } from '../workflow/run-workflow-tool.js';
import { StepAttempts } from '../workflow/step-attempts.js';
import { WorkflowTool } from '../workflow/workflow-tool.js';

export interface RunToolsPorts {
  readonly clock: Clock;
  readonly turn: ModelTurn;
  readonly schemas: Schemas;
  readonly watch?: RunWatch | undefined;
}

/** What the agent can do in a run: hand off, carry out the caller's workflows, and use the tools of its toolbox. */
export class RunTools {
  private readonly attempts: StepAttempts;
  private readonly workflow: readonly Tool[];

  constructor(
    ports: RunToolsPorts,
    private readonly record: RunRecord,
    private readonly toolbox: Toolbox,
    runner: ToolRunner,
    maxTurns: number,
  ) {
    const ofStep = { tools: () => toolbox.tools, situation: () => this.situationOfStep };
    this.attempts = new StepAttempts(record, ports, ofStep, maxTurns);
    const { workflows = [] } = record.state.config;
    this.workflow =
      workflows.length === 0 ? [] : [new WorkflowTool(workflows, record, ports, this.attempts, runner)];
  }

  /** Ends what an earlier process has left open in workflow steps, where it cannot go on. */
  async giveUp(): Promise<void> {
    for (const attempt of this.record.workflows.openAttempts) await this.attempts.giveUp(attempt);
  }

  /** What is offered now. */
  get all(): readonly Tool[] {
    const { config, agent } = this.record.state;
    const { agents = [] } = config;
    if (agents.length === 0 && this.workflow.length === 0) return this.toolbox.tools;
    return [...handoffTools(agents, agent), ...this.workflow, ...this.toolbox.tools];
  }

  get situation(): Situation {
    const { agents = [], workflows = [] } = this.record.state.config;
    const notices = [
      handoffNotice(agents),
      workflows.length === 0 ? null : workflowInstructions(workflows),
      ...(this.toolbox.notices ?? []),
    ].filter((notice) => notice !== null);
    return { specialist: this.specialist, notices };
  }

  /** Who speaks, where nothing can be used: for the final output. */
  get situationWithoutTools(): Situation {
    return { specialist: this.specialist, notices: [] };
  }

  /** Of the tools a step has those of the toolbox only, and is told of no others. */
  private get situationOfStep(): Situation {
    return { specialist: this.specialist, notices: this.toolbox.notices ?? [] };
  }

  private get specialist(): Situation['specialist'] {
    const { config, agent } = this.record.state;
    return config.agents?.find(({ name }) => name === agent);
  }
}
