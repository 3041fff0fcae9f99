import { callbackHeaders } from './callback-headers.js';
import { Optional, OptionalList, OptionalObject, Required } from '../../../edge/validation/fields.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { McpServerDto } from './mcp-server.dto.js';
import { queryText } from './query-text.js';
import {
  descriptionText,
  flag,
  httpUrlWithoutCredentials,
  listOf,
  messageText,
  nameText,
  object,
  oneOf,
  schedule,
  text,
} from '../../../edge/validation/rules.js';
import { WorkflowDto } from './workflow.dto.js';

export class AgentDto {
  @Required(nameText) readonly name!: string;
  @Required(descriptionText) readonly description!: string;
}

export class CallbackDto {
  @Required(httpUrlWithoutCredentials) readonly url!: string;
  @Optional(callbackHeaders) readonly headers?: Readonly<Record<string, string>>;
}

export class DatastoreRefDto {
  @Required(nameText) readonly id!: string;
  @Required(nameText) readonly name!: string;
}

export class QueryDto {
  @Required(nameText) readonly name!: string;
  @Required(descriptionText) readonly description!: string;
  @Required(queryText) readonly query!: string;
}

export class ScheduleDto {
  @Required(schedule) readonly schedule!: number | string;
  @Required(messageText) readonly message!: string;
  @Optional(nameText) readonly timezone?: string;
}

export class FinalOutputDto {
  @Required(nameText) readonly name!: string;
  @Optional(flag) readonly strict?: boolean;
  @Required(object) readonly schema!: object;
}

/** The body of `POST /`, as it may be sent. */
export class RunRequestDto {
  @Required(messageText) readonly message!: string;
  @Optional(text(LENGTHS.message)) readonly system?: string;
  @Optional(oneOf('flash', 'base', 'max', 'fast')) readonly mode?: 'flash' | 'base' | 'max' | 'fast';
  @Optional(listOf(text(LENGTHS.rule), 100)) readonly rules?: readonly string[];
  @OptionalList(WorkflowDto, 50) readonly workflows?: readonly WorkflowDto[];
  @OptionalList(AgentDto, 50) readonly agents?: readonly AgentDto[];
  @OptionalList(McpServerDto, 20) readonly mcp_servers?: readonly McpServerDto[];
  @OptionalList(McpServerDto, 20) readonly mcpServers?: readonly McpServerDto[];
  @Optional(flag) readonly background?: boolean;
  @OptionalObject(CallbackDto) readonly callback?: CallbackDto;
  @OptionalList(DatastoreRefDto, 50) readonly datastores?: readonly DatastoreRefDto[];
  @OptionalList(QueryDto, 50) readonly queries?: readonly QueryDto[];
  @Optional(flag) readonly streaming_tokens?: boolean;
  @Optional(flag) readonly streaming?: boolean;
  @OptionalList(ScheduleDto, 100) readonly schedules?: readonly ScheduleDto[];
  @OptionalObject(FinalOutputDto) readonly final_output?: FinalOutputDto;
  @Optional(oneOf('enqueue', 'reject', 'interrupt')) readonly on_busy?: 'enqueue' | 'reject' | 'interrupt';
}
