import type { TurnToolCall, Workflow, WorkflowCall } from '#domain';
import type { ToolDefinition } from '../model/model-client.js';
import type { Tool, ToolOutcome } from '../tools/tool.js';
import { parseRunWorkflow, runWorkflowDefinition } from './run-workflow-tool.js';
import { type WorkflowPorts, WorkflowRunner } from './workflow-runner.js';

export interface WorkflowToolPorts extends WorkflowPorts {
  readonly session: string;
  /** What an earlier process left of a call; undefined: the call begins here. */
  readonly knownOf: (call: TurnToolCall) => WorkflowCall | undefined;
}

/** `run_workflow`: its calls are resumed after a crash, never repeated, so calling again is safe. */
export class WorkflowTool implements Tool {
  readonly isRepeatable = true;
  readonly definition: ToolDefinition;

  constructor(
    private readonly workflows: readonly Workflow[],
    private readonly ports: WorkflowToolPorts,
  ) {
    this.definition = runWorkflowDefinition(workflows);
  }

  async call(input: unknown, signal: AbortSignal, call?: TurnToolCall): Promise<ToolOutcome> {
    if (call === undefined) throw new TypeError('a workflow is run for a call of the model');
    const parsed = parseRunWorkflow(input, this.workflows);
    if (typeof parsed === 'string') return { content: parsed, isError: true };
    const known = this.ports.knownOf(call);
    const request = { ...parsed, session: this.ports.session, callId: call.id, ...(known ? { known } : {}) };
    return new WorkflowRunner(this.ports, request).run(signal);
  }
}
