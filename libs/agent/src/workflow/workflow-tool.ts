import type { TurnToolCall, Workflow } from '#domain';
import { type Schemas, SchemaInUse } from '#json-schema';
import type { Clock } from '#platform';
import type { ToolDefinition } from '../model/model-client.js';
import type { RunRecord } from '../run/run-record.js';
import type { Tool, ToolOutcome } from '../tools/tool.js';
import { parseRunWorkflow, runWorkflowDefinition } from './run-workflow-tool.js';
import type { StepAttempts } from './step-attempts.js';
import { type WorkflowPorts, WorkflowRunner } from './workflow-runner.js';

/** `run_workflow`: its calls are resumed after a crash or a wait, never repeated, so calling again is safe. */
export class WorkflowTool implements Tool {
  readonly isRepeatable = true;
  readonly definition: ToolDefinition;

  constructor(
    private readonly workflows: readonly Workflow[],
    private readonly record: RunRecord,
    private readonly ports: { readonly clock: Clock; readonly schemas: Schemas },
    private readonly attempts: StepAttempts,
  ) {
    this.definition = runWorkflowDefinition(workflows);
  }

  async call(input: unknown, signal: AbortSignal, call?: TurnToolCall): Promise<ToolOutcome> {
    if (call === undefined) throw new TypeError('a workflow is run for a call of the model');
    const parsed = parseRunWorkflow(input, this.workflows);
    if (typeof parsed === 'string') return { content: parsed, isError: true };
    const { session, workflows } = this.record;
    // What was done of it before a wait, or by an earlier process.
    const known = workflows.of(call.id);
    const request = { ...parsed, session, callId: call.id, ...(known ? { known } : {}) };
    return new WorkflowRunner(this.workflowPorts(), request).run(signal);
  }

  private workflowPorts(): WorkflowPorts {
    const { record, attempts, ports } = this;
    return {
      clock: ports.clock,
      contents: record.contents,
      inUse: (schema) => new SchemaInUse(ports.schemas, schema, record.project),
      onNews: (listener) => record.onNews(listener),
      runAttempt: (request, signal) => attempts.run(request, signal),
      record: (drafts) => {
        record.write(drafts);
        return record.settled();
      },
    };
  }
}
