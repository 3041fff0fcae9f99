import { handoffNotice, handoffTools } from '../run/handoff.js';
import type { ContextBudgets } from '../run/context-budgets.js';
import type { Situation } from '../model/prompt.js';
import type { RunRecord } from '../run/run-record.js';
import type { Schemas } from '#json-schema';
import type { Tool, ToolServer, Toolbox } from './tool.js';
import type { CallGate } from './call-gate.js';
import type { CallTargets } from './tool-runner.js';
import { type HistoryReader, ReadHistory } from './read-history.js';
import { workflowInstructions } from '../workflow/run-workflow-tool.js';
import { StepAttempts, type StepAttemptPorts } from '../workflow/step-attempts.js';
import { WorkflowTool } from '../workflow/workflow-tool.js';

export interface RunToolsPorts extends StepAttemptPorts {
  readonly schemas: Schemas;
  readonly history?: HistoryReader | undefined;
  readonly contexts?: ContextBudgets | undefined;
}

/** What the agent can do in a run: hand off, carry out the caller's workflows, and use the tools of its toolbox. */
export class RunTools {
  private readonly attempts: StepAttempts;
  private readonly workflow: readonly Tool[];
  private readonly history: Tool | null;
  /** The same array for as long as nothing has changed. */
  private known: { readonly of: readonly Tool[]; readonly all: readonly Tool[] } | null = null;

  constructor(
    ports: RunToolsPorts,
    private readonly record: RunRecord,
    private readonly toolbox: () => Toolbox,
    gate: CallGate,
    maxTurns: number,
  ) {
    const ofStep = {
      tools: () => toolbox().tools,
      servers: () => this.servers,
      situation: () => this.situationOfStep,
    };
    this.attempts = new StepAttempts(record, ports, ofStep, gate, maxTurns);
    const { workflows = [] } = record.state.config;
    const { history, contexts } = ports;
    this.history = history === undefined ? null : new ReadHistory(history, record, contexts);
    this.workflow = workflows.length === 0 ? [] : [new WorkflowTool(workflows, record, ports, this.attempts)];
  }

  /** Ends what an earlier process has left open in workflow steps, where it cannot go on. */
  async giveUp(): Promise<void> {
    for (const { ref } of this.record.workflows.openAttempts) await this.attempts.giveUp(ref);
  }

  /** What calls may go to. */
  get targets(): CallTargets {
    return { tools: () => this.all, servers: () => this.servers };
  }

  private get servers(): readonly ToolServer[] {
    return this.toolbox().servers ?? [];
  }

  /** What is offered now. */
  get all(): readonly Tool[] {
    const { config, agent } = this.record.state;
    const { agents = [] } = config;
    const { tools } = this.toolbox();
    if (agents.length === 0 && this.workflow.length === 0) return this.withHistory(tools);
    return this.withHistory([...handoffTools(agents, agent), ...this.workflow, ...tools]);
  }

  /** Behind all others, from the first compaction on. A replay is offered what was offered then. */
  private withHistory(tools: readonly Tool[]): readonly Tool[] {
    const { history, record } = this;
    if (history === null || record.context.leftOut === null || record.replay !== null) return tools;
    if (this.known?.of !== tools) this.known = { of: tools, all: [...tools, history] };
    return this.known.all;
  }

  get situation(): Situation {
    const { agents = [], workflows = [] } = this.record.state.config;
    const notices = [
      handoffNotice(agents),
      workflows.length === 0 ? null : workflowInstructions(workflows),
      ...(this.toolbox().notices ?? []),
    ].filter((notice) => notice !== null);
    return { specialist: this.specialist, notices };
  }

  /** Who speaks, where nothing can be used: for the final output. */
  get situationWithoutTools(): Situation {
    return { specialist: this.specialist, notices: [] };
  }

  /** Of the tools a step has those of the toolbox only, and is told of no others. */
  private get situationOfStep(): Situation {
    return { specialist: this.specialist, notices: this.toolbox().notices ?? [] };
  }

  private get specialist(): Situation['specialist'] {
    const { config, agent } = this.record.state;
    return config.agents?.find(({ name }) => name === agent);
  }
}
