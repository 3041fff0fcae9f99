import type { Mode, RunMetadata, SamplingOptions, ToolChoice } from '#domain';
import type { ResponseSettings, TextFormat } from '../settings.js';
import type { AskedItem } from './asked-item.js';
import {
  type Fields,
  fieldsOf,
  flagIn,
  listIn,
  missing,
  numberIn,
  oneOf,
  pathTo,
  requireLength,
  requiredText,
  textIn,
  unsupportedValue,
} from './fields.js';
import { requireIncludable } from './include.js';
import { itemsOf } from './items.js';
import { MOST } from './limits.js';
import { metadataIn } from './metadata.js';
import { modelNotFound, refused } from './refusals.js';
import { formatIn } from './text-format.js';
import { type AskedTools, choiceOf, toolsOf } from './tools.js';

/** What a body of `POST /v1/responses` asks for. */
export interface ResponseRequest {
  readonly mode: Mode;
  /** One message, or what was given. */
  readonly input: string | readonly AskedItem[];
  readonly instructions?: string;
  readonly previous?: string;
  readonly conversation?: string;
  readonly tools: AskedTools;
  readonly choice?: ToolChoice;
  readonly sampling: SamplingOptions;
  readonly format?: TextFormat;
  readonly metadata?: RunMetadata;
  readonly isStream: boolean;
  readonly isBackground: boolean;
  readonly isStored: boolean;
  /** As the response shows them. */
  readonly settings: ResponseSettings;
}

const KNOWN = [
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'conversation',
  'tools',
  'tool_choice',
  'text',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'parallel_tool_calls',
  'max_output_tokens',
  'reasoning',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'user',
  'metadata',
  'store',
  'stream',
  'stream_options',
  'background',
  'include',
  'truncation',
  'service_tier',
  'top_logprobs',
];
const UNSUPPORTED = [
  'access_programs',
  'background_options',
  'context_management',
  'image',
  'max_tool_calls',
  'moderation',
  'prompt',
  'prompt_cache_options',
];
const LABEL = { min: 1, max: MOST.name };

/** @throws Problem naming the field */
export function parseResponseRequest(body: unknown): ResponseRequest {
  const fields = fieldsOf(body, '', { known: KNOWN, unsupported: UNSUPPORTED });
  const tools = toolsOf(fields);
  const choice = choiceOf(fields, tools);
  const text = textOptions(fields);
  const reasoning = reasoningOptions(fields);
  const base = baseOf(fields);
  requireWithoutEffect(fields);
  const sampling = samplingOf(fields, reasoning.effort, text.verbosity);
  const instructions = textIn(fields, 'instructions', { max: MOST.text });
  const metadata = metadataIn(fields);
  const isBackground = flagIn(fields, 'background') ?? false;
  const isStored = flagIn(fields, 'store') ?? true;
  if (isBackground && !isStored)
    throw refused('invalid_value', 'store', 'store: false does not go with background');
  return {
    mode: modeOf(fields),
    input: inputOf(fields),
    ...(instructions === undefined ? {} : { instructions }),
    ...base,
    tools,
    ...(choice === undefined ? {} : { choice }),
    sampling,
    ...(text.format === undefined ? {} : { format: text.format }),
    ...(metadata === undefined ? {} : { metadata }),
    isStream: flagIn(fields, 'stream') ?? false,
    isBackground,
    isStored,
    settings: settingsOf(fields, {
      instructions,
      ...base,
      tools,
      text,
      reasoning,
      metadata,
      isBackground,
      isStored,
    }),
  };
}

export function modeOf(fields: Fields): Mode {
  const model = textIn(fields, 'model', { max: MOST.text }) ?? 'base';
  if (model === 'base' || model === 'flash' || model === 'max') return model;
  throw modelNotFound(model);
}

function inputOf(fields: Fields): string | readonly AskedItem[] {
  const input = fields.values['input'] ?? missing(fields, 'input');
  if (typeof input === 'string') {
    requireLength(input, 'input', { min: 1, max: MOST.text });
    return input;
  }
  const values = listIn(fields, 'input', MOST.items) ?? [];
  if (values.length === 0) throw refused('invalid_value', 'input', 'input: must not be empty');
  return itemsOf(values, 'input');
}

function baseOf(fields: Fields): Pick<ResponseRequest, 'previous' | 'conversation'> {
  const previous = textIn(fields, 'previous_response_id', LABEL);
  const given = fields.values['conversation'];
  if (given === undefined) return previous === undefined ? {} : { previous };
  if (previous !== undefined)
    throw refused(
      'mutually_exclusive_parameters',
      'previous_response_id',
      'previous_response_id and conversation exclude each other',
    );
  if (typeof given === 'string') return { conversation: textIn(fields, 'conversation', LABEL) ?? '' };
  return { conversation: requiredText(fieldsOf(given, 'conversation', { known: ['id'] }), 'id', LABEL) };
}

interface TextOptions {
  readonly format?: TextFormat;
  readonly verbosity?: string;
}

function textOptions(fields: Fields): TextOptions {
  const given = fields.values['text'];
  if (given === undefined) return {};
  const inner = fieldsOf(given, 'text', { known: ['format', 'verbosity'] });
  const format = formatIn(inner, 'format');
  const verbosity = textIn(inner, 'verbosity', LABEL);
  return { ...(format === undefined ? {} : { format }), ...(verbosity === undefined ? {} : { verbosity }) };
}

function reasoningOptions(fields: Fields): { readonly effort?: string; readonly summary?: string } {
  const given = fields.values['reasoning'];
  if (given === undefined) return {};
  const inner = fieldsOf(given, 'reasoning', {
    known: ['effort', 'summary'],
    unsupported: ['generate_summary', 'context', 'mode'],
  });
  const effort = textIn(inner, 'effort', LABEL);
  const summary = oneOf(inner, 'summary', ['auto', 'concise', 'detailed']);
  return { ...(effort === undefined ? {} : { effort }), ...(summary === undefined ? {} : { summary }) };
}

/** Taken, because what they ask for is what is done anyway. */
function requireWithoutEffect(fields: Fields): void {
  oneOf(fields, 'truncation', ['auto']);
  oneOf(fields, 'service_tier', ['auto', 'default']);
  const logprobs = numberIn(fields, 'top_logprobs', { min: 0, max: 20, isWhole: true });
  if (logprobs !== undefined && logprobs > 0) unsupportedValue(fields, 'top_logprobs', logprobs);
  for (const [index, value] of (listIn(fields, 'include', 50) ?? []).entries())
    requireIncludable(value, pathTo('include', index));
  const options = fields.values['stream_options'];
  if (options === undefined) return;
  const inner = fieldsOf(options, 'stream_options', { known: ['include_obfuscation'] });
  if (flagIn(inner, 'include_obfuscation')) unsupportedValue(inner, 'include_obfuscation', true);
}

function samplingOf(fields: Fields, effort?: string, verbosity?: string): SamplingOptions {
  const options = {
    ...commonSampling(fields),
    max_completion_tokens: numberIn(fields, 'max_output_tokens', { min: 1, max: 1e9, isWhole: true }),
    reasoning_effort: effort,
    verbosity,
  };
  return withoutUndefined(options);
}

/** What both interfaces call the same. */
export const commonSampling = (fields: Fields): Readonly<Record<string, unknown>> => ({
  temperature: numberIn(fields, 'temperature', { min: 0, max: 2 }),
  top_p: numberIn(fields, 'top_p', { min: 0, max: 1 }),
  presence_penalty: numberIn(fields, 'presence_penalty', { min: -2, max: 2 }),
  frequency_penalty: numberIn(fields, 'frequency_penalty', { min: -2, max: 2 }),
  parallel_tool_calls: flagIn(fields, 'parallel_tool_calls'),
  prompt_cache_key: textIn(fields, 'prompt_cache_key', LABEL),
  prompt_cache_retention: textIn(fields, 'prompt_cache_retention', LABEL),
  safety_identifier: textIn(fields, 'safety_identifier', LABEL),
  user: textIn(fields, 'user', LABEL),
});

export const withoutUndefined = (values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** By their own names, where they are given. */
const SHOWN_AS_GIVEN = [
  'max_output_tokens',
  'parallel_tool_calls',
  'prompt_cache_key',
  'safety_identifier',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'tool_choice',
  'user',
];

function settingsOf(
  { values }: Fields,
  asked: {
    readonly instructions: string | undefined;
    readonly previous?: string;
    readonly conversation?: string;
    readonly tools: AskedTools;
    readonly text: TextOptions;
    readonly reasoning: object;
    readonly metadata: RunMetadata | undefined;
    readonly isBackground: boolean;
    readonly isStored: boolean;
  },
): ResponseSettings {
  const { text, reasoning, tools } = asked;
  return withoutUndefined({
    ...Object.fromEntries(SHOWN_AS_GIVEN.map((name) => [name, values[name]])),
    instructions: asked.instructions,
    previous_response_id: asked.previous,
    conversation: asked.conversation,
    background: asked.isBackground ? true : undefined,
    store: asked.isStored ? undefined : false,
    reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning,
    text: Object.keys(text).length === 0 ? undefined : text,
    tools: tools.shown.length === 0 ? undefined : tools.shown,
    metadata: asked.metadata,
  });
}
