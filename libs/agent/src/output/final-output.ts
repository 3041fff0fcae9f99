import { lossyNumberIn } from '#domain';
import type { SchemaInUse, Validation } from '#json-schema';
import {
  ModelFailure,
  type ModelMessage,
  type ModelRequest,
  type ToolDefinition,
} from '../model/model-client.js';

/** After the first answer the model is asked again at most so many times. */
export const MAX_REPAIRS = 2;

export interface FinalOutputSpec {
  readonly name: string;
  readonly strict: boolean;
  readonly schema: object;
  /** The same schema. */
  readonly inUse: SchemaInUse;
}

/** What of a model request is different for the final output. */
export interface FinalRequest extends Pick<ModelRequest, 'tools' | 'responseFormat' | 'forcedTool'> {
  /** Follow the run's own messages. */
  readonly messages: readonly ModelMessage[];
}

/** What a model said, of either form. */
export interface FinalAnswer {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
}

export type FinalStep =
  | { readonly kind: 'ask'; readonly state: FinalOutputState }
  | {
      readonly kind: 'ok';
      readonly value: unknown;
      /** Patterns that it was not held against. */
      readonly unchecked?: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] };

/** How far the run is with its final output. */
export interface FinalOutputState {
  readonly spec: FinalOutputSpec;
  /**
   * The model's structured-output mode; a tool that it has to call where the server has no such mode; words alone where
   * the server forces no tool either.
   */
  readonly mode: 'format' | 'tool' | 'words';
  /** Answers that did not validate. */
  readonly wrong: readonly { readonly text: string; readonly errors: readonly string[] }[];
}

export const beginFinalOutput = (spec: FinalOutputSpec): FinalOutputState => ({
  spec,
  mode: 'format',
  wrong: [],
});

/** What to ask the model next. */
export function finalRequest(state: FinalOutputState): FinalRequest {
  const { spec, mode, wrong } = state;
  const messages: ModelMessage[] = [{ role: 'user', content: askFor(spec, mode) }];
  for (const { text, errors } of wrong) {
    messages.push(
      { role: 'assistant', content: shortened(text) },
      { role: 'user', content: repairOf(spec, errors, mode) },
    );
  }
  if (mode === 'tool') {
    const tool = outputTool(spec);
    return { messages, tools: [tool], forcedTool: tool.name };
  }
  if (mode === 'words') return { messages, tools: [] };
  const { name, schema, strict } = spec;
  return { messages, tools: [], responseFormat: { name, schema, strict } };
}

/** What the log keeps of an answer: the JSON that the model meant, whichever way it came. */
export function answerText({ text, toolCalls }: FinalAnswer): string {
  const call = toolCalls.find(({ name }) => name === OUTPUT_TOOL) ?? toolCalls[0];
  return call?.arguments ?? text;
}

/** Takes an answer, or one that the log kept. */
export async function takeAnswer(state: FinalOutputState, text: string): Promise<FinalStep> {
  const found = await validated(state, text);
  if (found.ok) {
    const { value, unchecked } = found;
    return { kind: 'ok', value, ...(unchecked === undefined ? {} : { unchecked }) };
  }
  if (state.wrong.length >= MAX_REPAIRS) return { kind: 'invalid', errors: found.errors };
  return { kind: 'ask', state: { ...state, wrong: [...state.wrong, { text, errors: found.errors }] } };
}

/** The server does not take the request: the state to go on with, or null where there is no other way to ask. */
export function takeRefusal(state: FinalOutputState, failure: unknown): FinalOutputState | null {
  const refused = refusalIn(failure);
  if (refused === null) return null;
  switch (state.mode) {
    case 'format':
      return ABOUT_FORMAT.test(refused.message) ? { ...state, mode: 'tool' } : null;
    case 'tool':
      return ABOUT_TOOL.test(refused.message) ? { ...state, mode: 'words' } : null;
    case 'words':
      return null;
  }
}

function refusalIn(failure: unknown): ModelFailure | null {
  if (!(failure instanceof ModelFailure))
    return failure instanceof Error && failure.cause !== undefined ? refusalIn(failure.cause) : null;
  return failure.kind === 'refused' ? failure : null;
}

/** How servers call what they do not know. */
export const ABOUT_FORMAT =
  /response[_ -]?format|json[_ -]?(?:schema|object|mode)|structured|schema|grammar|guided/i;

export const ABOUT_TOOL = /tool|function|forced|schema|grammar|parameters/i;

const OUTPUT_TOOL = 'final_output';
/** Holds the output where its schema is not an object's: arguments of a tool are one always. */
const WRAPPED = 'output';

function outputTool(spec: FinalOutputSpec): ToolDefinition {
  return {
    name: OUTPUT_TOOL,
    description: `Gives the final output "${spec.name}".`,
    parameters: takesObject(spec.schema) ? spec.schema : wrapped(spec.schema),
  };
}

const takesObject = (schema: object): boolean => (schema as { type?: unknown }).type === 'object';

/** References lead from the root, so the definitions move there. */
function wrapped(schema: object): object {
  const { $schema: _, $id: __, $defs, definitions, ...rest } = schema as Readonly<Record<string, unknown>>;
  return {
    type: 'object',
    properties: { [WRAPPED]: rest },
    required: [WRAPPED],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

/** An answer from before a crash may have come the other way, so either form is taken. */
async function validated(
  { spec: { schema, inUse }, mode }: FinalOutputState,
  text: string,
): Promise<Validation> {
  const inner = takesObject(schema) ? undefined : unwrapped(text);
  const whole = await inUse.validateText(text);
  if (inner === undefined || (whole.ok && mode !== 'tool')) return whole;
  const found = await inUse.validate(inner);
  return found.ok || !whole.ok ? found : whole;
}

function unwrapped(text: string): unknown {
  if (lossyNumberIn(text) !== null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const [key, ...others] = Object.keys(value);
    return key === WRAPPED && others.length === 0 ? (value as Record<string, unknown>)[WRAPPED] : undefined;
  } catch {
    return undefined;
  }
}

const how = (mode: FinalOutputState['mode']): string =>
  mode === 'tool'
    ? `Call ${OUTPUT_TOOL} with it.`
    : 'Answer with the JSON alone, without a fence or a word around it.';

/** Servers that constrain by a grammar show the model nothing of the schema. */
const askFor = ({ name, schema }: FinalOutputSpec, mode: FinalOutputState['mode']): string =>
  `Give the final output "${name}" of the work above, as JSON that matches its schema. ${how(mode)}\n\n` +
  `The schema is:\n${JSON.stringify(schema)}`;

const repairOf = (
  { schema }: FinalOutputSpec,
  errors: readonly string[],
  mode: FinalOutputState['mode'],
): string =>
  `That does not match the schema:\n${errors.map((error) => `- ${error}`).join('\n')}\n\n` +
  `The schema is:\n${JSON.stringify(schema)}\n\nGive the whole output again, corrected. ${how(mode)}`;

const MAX_SHOWN = 32_000;

/** Some servers refuse an empty message. */
function shortened(text: string): string {
  if (text.trim() === '') return '(no answer)';
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}
