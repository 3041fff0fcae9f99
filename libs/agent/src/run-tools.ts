import { type Draft, type RunState, type WorkflowRuns } from '#domain';
import { handoffNotice, handoffTools } from './handoff.js';
import type { ModelTurn, TurnRequest } from './model-turn.js';
import type { Situation } from './prompt.js';
import type { Tool, Toolbox } from './tool.js';
import type { ToolRunner } from './tool-runner.js';
import { workflowInstructions } from './workflow/run-workflow-tool.js';
import { StepAttempts } from './workflow/step-attempts.js';
import { WorkflowTool } from './workflow/workflow-tool.js';
import type { ContentStore } from '#event-log';
import type { Clock } from '#platform';

export interface RunToolsPorts {
  readonly session: string;
  readonly clock: Clock;
  readonly contents: ContentStore;
  readonly turn: ModelTurn;
  readonly toolbox: Toolbox;
  /** Workflows that an earlier process left under way. */
  readonly workflows: WorkflowRuns;
  readonly runner: ToolRunner;
  readonly state: () => RunState;
  readonly request: () => Omit<TurnRequest, 'messages' | 'tools' | 'sink'>;
  readonly write: (drafts: readonly Draft[]) => void;
  readonly settled: () => Promise<void>;
  readonly maxTurns: number;
}

/** What the agent can do in a run: hand off, carry out the caller's workflows, and use the tools of its toolbox. */
export class RunTools {
  private readonly workflow: readonly Tool[];

  constructor(private readonly ports: RunToolsPorts) {
    const { workflows = [] } = ports.state().config;
    this.workflow = workflows.length === 0 ? [] : [new WorkflowTool(workflows, this.workflowPorts())];
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

  private workflowPorts() {
    const { session, clock, contents, turn, toolbox, workflows, runner, state, write, settled, maxTurns } =
      this.ports;
    const request = () => {
      const { specialist } = this.situation;
      return {
        ...this.ports.request(),
        state: state(),
        situation: { specialist, notices: toolbox.notices ?? [] },
      };
    };
    const tools = () => toolbox.tools;
    const attempts = new StepAttempts({ session, contents, turn, request, tools, write, settled, maxTurns });
    return {
      session,
      clock,
      contents,
      knownOf: (call: Parameters<ToolRunner['isFresh']>[0]) =>
        runner.isFresh(call) ? undefined : workflows.of(call.id),
      runAttempt: attempts.run.bind(attempts),
      record: (drafts: readonly Draft[]) => {
        write(drafts);
        return settled();
      },
    };
  }
}
