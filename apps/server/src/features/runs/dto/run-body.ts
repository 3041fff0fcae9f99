import type { Mode, OnBusy, RunMetadata } from '#domain';
import { validated } from '../../../edge/validation/validate.js';
import {
  type AgentDto,
  type CallbackDto,
  type DatastoreRefDto,
  type FinalOutputDto,
  type QueryDto,
  RunRequestDto,
  type ScheduleDto,
} from './run-request.dto.js';
import { modeOf } from '../shared/agent-fields.js';
import type { ApprovalsDto } from './approvals.dto.js';
import type { CallerToolDto } from './caller-tool.dto.js';
import { either } from '../shared/either.js';
import type { McpServerDto } from '../shared/mcp-server.dto.js';
import type { WorkflowDto } from './workflow.dto.js';

/** The body of `POST /` as the service goes on with it: aliases resolved, defaults set, plain objects. */
export interface RunBody {
  readonly message: string;
  readonly system?: string;
  readonly mode: Mode;
  readonly rules: readonly string[];
  readonly workflows: readonly WorkflowDto[];
  readonly agents: readonly AgentDto[];
  /** Holds credentials: never stored. */
  readonly mcp_servers: readonly McpServerDto[];
  readonly background: boolean;
  readonly callback?: CallbackDto;
  readonly datastores: readonly DatastoreRefDto[];
  readonly queries: readonly QueryDto[];
  readonly streaming_tokens: boolean;
  readonly schedules: readonly ScheduleDto[];
  readonly final_output?: FinalOutputDto;
  readonly approvals?: ApprovalsDto;
  readonly tools: readonly CallerToolDto[];
  readonly metadata?: RunMetadata;
  readonly budget?: string;
  readonly compaction?: boolean;
  readonly on_busy: OnBusy;
}

/** @throws Problem invalid_request, with every field that is wrong */
export const parseRunRequest = (sent: unknown): RunBody => runBodyOf(validated(RunRequestDto, sent));

/** @throws Problem invalid_request where a field and its old name differ */
export function runBodyOf(sent: RunRequestDto): RunBody {
  return {
    message: sent.message,
    ...(sent.system === undefined ? {} : { system: sent.system }),
    mode: modeOf(sent.mode),
    rules: sent.rules ?? NONE,
    workflows: sent.workflows ?? NONE,
    agents: sent.agents ?? NONE,
    mcp_servers: either('mcp_servers', sent.mcp_servers, 'mcpServers', sent.mcpServers) ?? NONE,
    background: sent.background,
    ...(sent.callback === undefined ? {} : { callback: sent.callback }),
    datastores: sent.datastores ?? NONE,
    queries: sent.queries ?? NONE,
    streaming_tokens: either('streaming_tokens', sent.streaming_tokens, 'streaming', sent.streaming) ?? false,
    schedules: sent.schedules ?? NONE,
    ...(sent.final_output === undefined ? {} : { final_output: sent.final_output }),
    ...(sent.approvals === undefined ? {} : { approvals: sent.approvals }),
    tools: sent.tools ?? NONE,
    ...(sent.metadata === undefined ? {} : { metadata: sent.metadata }),
    ...(sent.budget === undefined ? {} : { budget: sent.budget }),
    ...(sent.compaction === undefined ? {} : { compaction: sent.compaction }),
    on_busy: sent.on_busy,
  };
}

const NONE: readonly never[] = [];
