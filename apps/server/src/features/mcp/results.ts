import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Problem, RunId, SessionId } from '#domain';
import type { RunError, RunStatus } from '#projections';

/** What `run_agent` and `read_run` answer. */
export interface RunResult {
  readonly run_id: RunId;
  readonly session: SessionId;
  readonly status: RunStatus;
  readonly response: string;
  readonly cost: string;
  readonly error: RunError | null;
}

/** A run as a result: what it said, what went wrong, or that it goes on. */
export function runResult(run: RunResult): CallToolResult {
  const structuredContent = { ...run };
  switch (run.status) {
    case 'completed':
      return { content: textOf(run.response), structuredContent };
    case 'failed':
      return {
        isError: true,
        content: textOf(`${run.error?.code ?? 'internal'}: ${run.error?.message ?? ''}`),
        structuredContent,
      };
    case 'cancelled':
      return { isError: true, content: textOf('cancelled'), structuredContent };
    case 'queued':
    case 'running':
    case 'waiting':
      return { content: textOf(goesOn(run)), structuredContent };
  }
}

const goesOn = ({ run_id, status }: RunResult): string =>
  `The run ${run_id} is ${status}. Ask read_run with this run_id for its result.`;

/** A refusal that whoever called can do something about. */
export const refusedResult = ({ code, detail }: Problem): CallToolResult => ({
  isError: true,
  content: textOf(`${code}: ${detail}`),
});

/** A result with data, and the same in words. */
export const dataResult = (text: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: textOf(text),
  structuredContent,
});

const textOf = (text: string): CallToolResult['content'] => [{ type: 'text', text }];
