import type { SamplingOptions, ToolChoice } from '#domain';
import type { TextFormat } from '../settings.js';
import { chatItems } from './chat-messages.js';
import {
  type Fields,
  fieldsOf,
  flagIn,
  listIn,
  missing,
  numberIn,
  oneOf,
  pathTo,
  requiredText,
  textIn,
  textsIn,
  unsupportedValue,
} from './fields.js';
import { MOST } from './limits.js';
import { metadataIn } from './metadata.js';
import { refuseOtherTypes } from './parts.js';
import { refused } from './refusals.js';
import { type ResponseRequest, commonSampling, modeOf, withoutUndefined } from './response-request.js';
import { schemaFormat } from './text-format.js';
import { type AskedTools, callerTool, shownFunction } from './tools.js';

/** What a body of `POST /v1/chat/completions` asks for: a response, and how it is told. */
export interface ChatRequest extends ResponseRequest {
  /** A stream ends with what was used. */
  readonly hasUsage: boolean;
}

const KNOWN = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'stream',
  'stream_options',
  'temperature',
  'top_p',
  'max_completion_tokens',
  'max_tokens',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'verbosity',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'metadata',
  'store',
  'n',
  'logprobs',
  'service_tier',
  'modalities',
];
const UNSUPPORTED = [
  'audio',
  'function_call',
  'functions',
  'logit_bias',
  'moderation',
  'prediction',
  'prompt_cache_options',
  'top_logprobs',
  'web_search_options',
];
const LABEL = { min: 1, max: MOST.name };
const WHOLE = { min: 1, max: 1e9, isWhole: true } as const;
const MAX_STOPS = 4;

/** @throws Problem naming the field */
export function parseChatRequest(body: unknown): ChatRequest {
  const fields = fieldsOf(body, '', { known: KNOWN, unsupported: UNSUPPORTED });
  const mode = modeOf(fields);
  const input = chatItems(fields);
  const tools = chatTools(fields);
  const choice = choiceOf(fields, tools);
  const format = formatOf(fields);
  const metadata = metadataIn(fields);
  const isStored = flagIn(fields, 'store') ?? true;
  const isStream = flagIn(fields, 'stream') ?? false;
  requireOne(fields);
  return {
    mode,
    input,
    tools,
    ...(choice === undefined ? {} : { choice }),
    sampling: samplingOf(fields),
    ...(format === undefined ? {} : { format }),
    ...(metadata === undefined ? {} : { metadata }),
    isStream,
    isBackground: false,
    isStored,
    hasUsage: usageIn(fields),
    settings: withoutUndefined({
      store: isStored ? undefined : false,
      text: format === undefined ? undefined : { format },
      tools: tools.shown.length === 0 ? undefined : tools.shown,
      metadata,
    }),
  };
}

/** One choice, of text, with nothing besides. */
function requireOne(fields: Fields): void {
  const n = numberIn(fields, 'n', { min: 1, max: 128, isWhole: true });
  if (n !== undefined && n !== 1) unsupportedValue(fields, 'n', n);
  if (flagIn(fields, 'logprobs')) unsupportedValue(fields, 'logprobs', true);
  oneOf(fields, 'service_tier', ['auto', 'default']);
  for (const modality of listIn(fields, 'modalities', 10) ?? [])
    if (modality !== 'text') unsupportedValue(fields, 'modalities', modality);
}

function usageIn(fields: Fields): boolean {
  const options = fields.values['stream_options'];
  if (options === undefined) return false;
  const inner = fieldsOf(options, 'stream_options', { known: ['include_usage', 'include_obfuscation'] });
  if (flagIn(inner, 'include_obfuscation')) unsupportedValue(inner, 'include_obfuscation', true);
  return flagIn(inner, 'include_usage') ?? false;
}

function chatTools(fields: Fields): AskedTools {
  const values = listIn(fields, 'tools', MOST.functions) ?? [];
  const shown: object[] = [];
  const functions = values.map((value, at) => {
    const path = pathTo('tools', at);
    refuseOtherTypes(value, path, ['function']);
    const tool = fieldsOf(value, path, { known: ['type', 'function'] });
    if (oneOf(tool, 'type', ['function']) === undefined) missing(tool, 'type');
    const inner = fieldsOf(tool.values['function'] ?? missing(tool, 'function'), `${path}.function`, {
      known: ['name', 'description', 'parameters', 'strict'],
    });
    const made = callerTool(inner);
    shown.push(shownFunction(made, inner.values));
    return made;
  });
  return { functions, functionAt: functions.map((_, at) => at), servers: [], shown };
}

function choiceOf(fields: Fields, { functions }: AskedTools): ToolChoice | undefined {
  const value = fields.values['tool_choice'];
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    const choice = oneOf(fields, 'tool_choice', ['auto', 'none', 'required']);
    return choice === 'auto' ? undefined : choice;
  }
  refuseOtherTypes(value, 'tool_choice', ['function']);
  const inner = fieldsOf(value, 'tool_choice', { known: ['type', 'function'] });
  oneOf(inner, 'type', ['function']);
  const path = 'tool_choice.function';
  const named = fieldsOf(inner.values['function'] ?? missing(inner, 'function'), path, { known: ['name'] });
  const name = requiredText(named, 'name', LABEL);
  if (functions.some((tool) => tool.name === name)) return { name };
  throw refused('invalid_value', `${path}.name`, `${path}.name: is none of the tools`);
}

function formatOf(fields: Fields): TextFormat | undefined {
  const value = fields.values['response_format'];
  if (value === undefined) return undefined;
  refuseOtherTypes(value, 'response_format', ['text', 'json_object', 'json_schema']);
  const inner = fieldsOf(value, 'response_format', { known: ['type', 'json_schema'] });
  const type = oneOf(inner, 'type', ['text', 'json_object', 'json_schema']) ?? missing(inner, 'type');
  if (type !== 'json_schema') return { type };
  const schema = inner.values['json_schema'] ?? missing(inner, 'json_schema');
  return schemaFormat(
    fieldsOf(schema, 'response_format.json_schema', { known: ['name', 'description', 'schema', 'strict'] }),
  );
}

function samplingOf(fields: Fields): SamplingOptions {
  const most = numberIn(fields, 'max_completion_tokens', WHOLE);
  const old = numberIn(fields, 'max_tokens', WHOLE);
  if (most !== undefined && old !== undefined && most !== old)
    throw refused(
      'mutually_exclusive_parameters',
      'max_tokens',
      'max_tokens and max_completion_tokens exclude each other',
    );
  return withoutUndefined({
    ...commonSampling(fields),
    max_completion_tokens: most ?? old,
    reasoning_effort: textIn(fields, 'reasoning_effort', LABEL),
    verbosity: textIn(fields, 'verbosity', LABEL),
    stop: stopIn(fields),
    seed: numberIn(fields, 'seed', { min: -(2 ** 53), max: 2 ** 53, isWhole: true }),
  });
}

const stopIn = (fields: Fields): string | readonly string[] | undefined =>
  typeof fields.values['stop'] === 'string'
    ? textIn(fields, 'stop', LABEL)
    : textsIn(fields, 'stop', MAX_STOPS, LABEL);
