import { type GivenItem, Problem, type RunConfig, textsOf } from '#domain';
import { type AskedTools, type ResponseRequest, finalOutputOf, textOf } from '#openai-face';
import type { SentResponse } from './sent-response.js';
import type { RunBody } from '../../runs/shared/run-requests.js';

/** What waits for somebody does so for a day: then nobody would read what is said. */
const EXPIRES_S = 86_400;
const NONE: readonly never[] = [];

/** The body of `POST /` that asks for the same, as far as that can. @param message what lists show of it */
export function runBodyOf(asked: ResponseRequest, message: string): RunBody {
  const { instructions, tools, metadata } = asked;
  const output = finalOutputOf(asked.format);
  return {
    message,
    ...(instructions === undefined ? {} : { system: instructions }),
    mode: asked.mode,
    rules: NONE,
    workflows: NONE,
    agents: NONE,
    mcp_servers: tools.servers.map(({ label, url, token, description }) => ({
      serverName: label,
      serverUrl: url,
      ...(token === undefined ? {} : { auth: { type: 'bearer' as const, token } }),
      ...(description === undefined ? {} : { description }),
    })),
    background: asked.isBackground,
    datastores: NONE,
    queries: NONE,
    streaming_tokens: asked.isStream,
    schedules: NONE,
    ...(output === undefined ? {} : { final_output: output }),
    tools: tools.functions,
    ...(metadata === undefined ? {} : { metadata }),
    on_busy: 'enqueue',
  };
}

/** What `POST /` has no field for. */
export function moreConfigOf({ tools, sampling, choice }: ResponseRequest): Partial<RunConfig> {
  const servers = Object.fromEntries(tools.servers.map(({ label, policy }) => [label, policy]));
  return {
    approvals: {
      by: 'anyone',
      expires_s: EXPIRES_S,
      ...(tools.servers.length === 0 ? {} : { servers }),
    },
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** What lists show of items: what was said last. */
export function messageOf(items: readonly GivenItem[]): string {
  const last = items.findLast((item) => item.kind === 'message' && item.role === 'user');
  return last?.kind === 'message' ? textsOf(last.parts).map(textOf).join('') : '';
}

/** Whether the items are one message, which needs no other form. */
export function plainMessage(items: readonly GivenItem[]): string | null {
  const [only, ...others] = items;
  if (only?.kind !== 'message' || only.role !== 'user' || others.length > 0) return null;
  const [part, ...more] = only.parts;
  return part?.kind === 'text' && more.length === 0 ? (part.text as string) : null;
}

/** A refusal of the run's body, by the names of the fields that were sent. */
export function asAsked(
  error: unknown,
  { functionAt, servers }: AskedTools,
  operation: SentResponse['operation'] = 'create_response',
): unknown {
  if (!(error instanceof Problem) || error.more.errors === undefined) return error;
  const isChat = operation === 'create_completion';
  const schemaPath = isChat ? 'response_format.json_schema.schema' : 'text.format.schema';
  const errors = error.more.errors.map(({ path, message }) => ({
    path: path
      .replace(/^final_output\.(?:schema)?/, schemaPath)
      .replace(
        /^tools\[(\d{1,4})\]/,
        (_, at: string) => `tools[${functionAt[Number(at)] ?? at}]${isChat ? '.function' : ''}`,
      )
      .replace(
        /^mcp_servers\[(\d{1,4})\]\.serverUrl/,
        (_, at: string) => `tools[${servers[Number(at)]?.index ?? at}].server_url`,
      ),
    message,
  }));
  const [first] = errors;
  const detail = first === undefined ? error.detail : `${first.path}: ${first.message}`;
  return new Problem(error.code, detail, { ...error.more, errors });
}
