import type { RunConfig, RunMetadata } from '#domain';

/** What a response shows of what was asked for: only what was given. It is stored as JSON, in the names of the interface. */
export interface ResponseSettings {
  readonly instructions?: string;
  readonly previous_response_id?: string;
  /** Id of the conversation that the request named. */
  readonly conversation?: string;
  readonly background?: true;
  readonly max_output_tokens?: number;
  readonly parallel_tool_calls?: boolean;
  readonly prompt_cache_key?: string;
  readonly reasoning?: { readonly effort?: string; readonly summary?: string };
  readonly safety_identifier?: string;
  readonly store?: false;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly text?: { readonly format?: TextFormat; readonly verbosity?: string };
  readonly tool_choice?: string | object;
  /** Without addresses and credentials. */
  readonly tools?: readonly object[];
  readonly user?: string;
  readonly metadata?: RunMetadata;
}

export type TextFormat =
  | { readonly type: 'text' | 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description?: string;
      readonly schema: object;
      readonly strict?: boolean;
    };

/** Of a run that was asked for in another way. */
export function settingsOfConfig({ system, final_output: output, metadata }: RunConfig): ResponseSettings {
  return {
    ...(system === undefined ? {} : { instructions: system }),
    ...(output === undefined ? {} : { text: { format: formatOf(output) } }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

const formatOf = ({ name, schema, strict }: NonNullable<RunConfig['final_output']>): TextFormat => ({
  type: 'json_schema',
  name,
  schema,
  ...(strict === undefined ? {} : { strict }),
});

/** Whether the answer is the final output, and what is said in turns is not. */
export const hasFormat = ({ text }: ResponseSettings): boolean =>
  text?.format !== undefined && text.format.type !== 'text';

/** As `text.format` of a response shows it. */
export function shownFormat(format: TextFormat | undefined): object {
  if (format === undefined) return { type: 'text' };
  if (format.type !== 'json_schema') return { type: format.type };
  const { type, name, description = null, schema, strict = null } = format;
  return { type, name, description, schema, strict };
}
