import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsObject } from 'class-validator';
import type { RunMetadata } from '#domain';
import { MAX_PLACEHOLDERS, hasTooManyPlaceholders } from '#knowledge';
import {
  Describe,
  IsFilledText,
  IsName,
  IsText,
  MayBeOmitted,
  Nested,
  Satisfies,
} from '../../../edge/validation/decorators.js';
import { dollarsAboveZero } from '../../../edge/validation/dollars.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import type { Rule } from '../../../edge/validation/rules.js';
import { GREETING } from '../shared/greeting.js';
import { RuleList } from '../shared/agent-fields.js';
import { ApprovalsDto } from './approvals.dto.js';
import { callbackHeaders } from './callback-headers.js';
import { CallerToolDto } from './caller-tool.dto.js';
import { IsHttpUrlWithoutCredentials } from './http-url.js';
import { type McpServerDto, McpServerList, McpServerListAlias } from '../shared/mcp-server.dto.js';
import { runMetadata } from './run-metadata.js';
import { schedule } from './schedule.js';
import { WorkflowDto } from './workflow.dto.js';

export class AgentDto {
  @IsName()
  readonly name!: string;

  @IsText(LENGTHS.description)
  readonly description!: string;
}

export class CallbackDto {
  @IsHttpUrlWithoutCredentials()
  @Describe({ examples: ['https://example.com/hook'] })
  readonly url!: string;

  @MayBeOmitted()
  @Satisfies('areCallbackHeaders', callbackHeaders)
  readonly headers?: Readonly<Record<string, string>>;
}

export class DatastoreRefDto {
  @IsName()
  readonly id!: string;

  @IsName()
  readonly name!: string;
}

/** For which kind of database is not known yet: refused where it is too much for either. */
const fewPlaceholders: Rule = (value) =>
  hasTooManyPlaceholders(String(value), 'postgres') && hasTooManyPlaceholders(String(value), 'mysql')
    ? { message: `must have at most ${MAX_PLACEHOLDERS} placeholders` }
    : null;

export class QueryDto {
  @IsName()
  readonly name!: string;

  @IsText(LENGTHS.description)
  readonly description!: string;

  @IsFilledText(LENGTHS.query)
  @Satisfies('hasFewPlaceholders', fewPlaceholders)
  @Describe({ description: 'SQL with at most 100 placeholders (`?`).' })
  readonly query!: string;
}

export class ScheduleDto {
  @Satisfies('isSchedule', schedule)
  @Describe({
    description: 'Seconds from now, a date (once), or a five-field cron expression (recurring).',
    examples: [3600, '0 9 * * 1-5'],
  })
  readonly schedule!: number | string;

  @IsFilledText(LENGTHS.message)
  readonly message!: string;

  @MayBeOmitted()
  @IsName()
  @Describe({ description: 'IANA name, for cron expressions.', default: 'UTC' })
  readonly timezone?: string;
}

export class FinalOutputDto {
  @IsName()
  readonly name!: string;

  @MayBeOmitted()
  @IsBoolean()
  readonly strict?: boolean;

  @IsObject()
  readonly schema!: object;
}

/** The body of `POST /`, as it may be sent. */
export class RunRequestDto {
  @IsFilledText(LENGTHS.message)
  @Describe({ description: 'The task.', examples: [GREETING] })
  readonly message!: string;

  @MayBeOmitted()
  @IsText(LENGTHS.message)
  @Describe({ description: "The system prompt, in place of the service's own." })
  readonly system?: string;

  @IsIn(['flash', 'base', 'max', 'fast'])
  @Describe({
    description:
      '`flash`: simple tasks, shows thinking; `base`: balanced; `max`: complex reasoning. `fast` is an old name of `base`.',
  })
  readonly mode: 'flash' | 'base' | 'max' | 'fast' = 'base';

  @RuleList()
  @Describe({ description: 'Constraints that the agent obeys in every turn.' })
  readonly rules?: readonly string[];

  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(50)
  @Nested(WorkflowDto)
  @Describe({ description: 'Directed acyclic graphs of steps, offered to the agent as a tool.' })
  readonly workflows?: readonly WorkflowDto[];

  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(50)
  @Nested(AgentDto)
  @Describe({ description: 'Specialists to which the conversation can be handed off.' })
  readonly agents?: readonly AgentDto[];

  @McpServerList()
  @Describe({ description: 'External tool servers. Never stored: send them each time.' })
  readonly mcp_servers?: readonly McpServerDto[];

  @McpServerListAlias()
  readonly mcpServers?: readonly McpServerDto[];

  @IsBoolean()
  @Describe({ description: 'Answer 202 at once and run on the server.' })
  readonly background: boolean = false;

  @MayBeOmitted()
  @Nested(CallbackDto)
  @Describe({ description: "Receives the run's events, each in a POST of its own." })
  readonly callback?: CallbackDto;

  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(50)
  @Nested(DatastoreRefDto)
  @Describe({ description: 'Knowledge that the agent may use.' })
  readonly datastores?: readonly DatastoreRefDto[];

  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(50)
  @Nested(QueryDto)
  @Describe({ description: 'Ready-made queries on the databases; `?` are parameters, always bound.' })
  readonly queries?: readonly QueryDto[];

  @MayBeOmitted()
  @IsBoolean()
  @Describe({ description: 'Text token by token, not in blocks.', default: false })
  readonly streaming_tokens?: boolean;

  @MayBeOmitted()
  @IsBoolean()
  @Describe({ description: 'Another name of streaming_tokens.', deprecated: true })
  readonly streaming?: boolean;

  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(100)
  @Nested(ScheduleDto)
  @Describe({ description: 'Runs to be started later in this session.' })
  readonly schedules?: readonly ScheduleDto[];

  @MayBeOmitted()
  @Nested(FinalOutputDto)
  @Describe({ description: 'One more event at the end, with output that fits the schema.' })
  readonly final_output?: FinalOutputDto;

  @MayBeOmitted()
  @Nested(ApprovalsDto)
  @Describe({
    description: 'Which calls of tools wait until somebody decides on them, and which tools are not offered.',
  })
  readonly approvals?: ApprovalsDto;

  @MayBeOmitted()
  @IsArray()
  @ArrayMaxSize(100)
  @Nested(CallerToolDto)
  @Describe({ description: 'Tools that you carry out: each call waits for your answer.' })
  readonly tools?: readonly CallerToolDto[];

  @MayBeOmitted()
  @Satisfies('isDollars', dollarsAboveZero)
  @Describe({ description: 'What the run may cost before it waits, in US dollars.', examples: ['0.50'] })
  readonly budget?: string;

  @MayBeOmitted()
  @IsBoolean()
  @Describe({
    description:
      'Whether the model is asked for a summary where the context is full; otherwise the oldest turns are left out.',
    default: true,
  })
  readonly compaction?: boolean;

  @MayBeOmitted()
  @Satisfies('isRunMetadata', runMetadata)
  @Describe({
    description: 'What you want to find the run by, or sum up its cost by: up to 16 pairs of strings.',
    examples: [{ customer: 'c-42' }],
  })
  readonly metadata?: RunMetadata;

  @IsIn(['enqueue', 'reject', 'interrupt', 'steer'])
  @Describe({
    description:
      'What happens while the session has a run: wait, 409, cancel that one, or hand the message to it (the rest of the request has no effect then).',
  })
  readonly on_busy: 'enqueue' | 'reject' | 'interrupt' | 'steer' = 'enqueue';
}
