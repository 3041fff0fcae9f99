import type {
  ChatCompletionMessageParam,
  ChatCompletionFunctionTool,
  ChatCompletionUserMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelPart, ModelRequest, ToolDefinition } from '#agent';
import { IMAGE_CHARS } from '#domain';
import { offeredTools } from './offered-tools.js';
import { inStrictOrder, inWords, plainMessages } from './plain-messages.js';
import { seenBy, unseenBy } from './seen-images.js';
import { type SentCall, type SentMessage, type SentUser, sentMessages } from './sent-message.js';
import type { RequestForm } from './request-form.js';
import { withShortIds } from './short-ids.js';

/**
 * The JSON of messages and tools by their identity: a session's history is the same objects from turn to turn, so each is
 * turned into JSON once and not once a turn. (200 messages of 1 KB: 0.25 ms of CPU a turn less, of 1.1.)
 */
const written = new WeakMap<object, string>();

export interface ChatBody {
  /** The JSON text that goes over the wire. */
  readonly json: string;
  /** What it counts where the server does not count: an image about as much as servers count for a large one. */
  readonly chars: number;
  /** Names of tools that are not offered, for the server takes fewer. */
  readonly leftOut: readonly string[];
  /** Ids of images that are not shown, for the server does not take them. */
  readonly unseen: readonly string[];
}

/**
 * The body of a Chat Completions request. What is the same from turn to turn comes first, and what grows behind it: a request
 * begins as the one before it did.
 * @param server names where it goes to
 */
export function writeChatBody(request: ModelRequest, form: RequestForm, server: string): ChatBody {
  const { omit } = form;
  const sent = messagesOf(request, form, server);
  const { tools, choice, leftOut } = offeredTools(request, form, sent);
  const effort = omit.has('reasoning_effort') ? undefined : request.reasoningEffort;
  const { parallel_tool_calls: inParallel, ...sampling } = request.sampling ?? {};
  const settings = {
    ...sampling,
    // Servers refuse it where there are no tools.
    ...(inParallel === undefined || tools.length === 0 ? {} : { parallel_tool_calls: inParallel }),
    model: request.model,
    stream: true,
    ...(omit.has('stream_options') ? {} : { stream_options: { include_usage: true } }),
    ...(effort === undefined ? {} : { reasoning_effort: form.efforts[effort] ?? effort }),
  };
  const asked = {
    ...(request.responseFormat === undefined ? {} : { response_format: formatOf(request.responseFormat) }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
  const messages = sent.map((message) => once(message, messageOf)).join(',');
  const list = tools.map((tool) => once(tool, toolOf)).join(',');
  const lists = list === '' ? `"messages":[${messages}]` : `"tools":[${list}],"messages":[${messages}]`;
  const more = JSON.stringify(asked).slice(1, -1);
  const unseen = unseenBy(request.messages, form);
  const json = `${JSON.stringify(settings).slice(0, -1)},${lists}${more === '' ? '' : `,${more}`}}`;
  return { json, chars: json.length - savedBy(sent), leftOut, unseen };
}

/** The messages in the form that the server takes. */
export function messagesOf(request: ModelRequest, form: RequestForm, server: string): readonly SentMessage[] {
  const seen = seenBy(request.messages, form);
  const plain = plainMessages(sentMessages(seen, form, server, request.model));
  const told = form.isInWords ? inWords(plain) : plain;
  const ordered = form.isStrictOrder ? inStrictOrder(told) : told;
  return form.hasShortIds ? withShortIds(ordered) : ordered;
}

function once<T extends object>(value: T, map: (value: T) => object): string {
  let json = written.get(value);
  if (json === undefined) written.set(value, (json = JSON.stringify(map(value))));
  return json;
}

function messageOf(message: SentMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: contentOf(message) };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [], extra } = message;
      // Content that came as a list of parts goes back as one.
      if (toolCalls.length === 0) return { role: 'assistant', content, ...extra };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        ...extra,
        tool_calls: toolCalls.map(callOf),
      };
    }
  }
}

/** By how much the images are longer than what they count. */
function savedBy(messages: readonly SentMessage[]): number {
  const users = messages.filter((message) => message.role === 'user');
  const images = users.flatMap((message) => message.images ?? []);
  const given = users.flatMap(({ parts = [] }) => parts.filter((part) => part.kind === 'image'));
  const lengths = [
    ...images.map(({ bytes }) => Math.ceil(bytes.length / 3) * 4),
    ...given.map(({ url }) => url.length),
  ];
  return lengths.reduce((sum, length) => sum + length - IMAGE_CHARS, 0);
}

function contentOf({ content, images = [], parts }: SentUser): ChatCompletionUserMessageParam['content'] {
  if (parts !== undefined && parts.length > 0) return parts.map(partOf);
  if (images.length === 0) return content;
  return [
    { type: 'text', text: content },
    ...images.map(({ mediaType, bytes }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}` },
    })),
  ];
}

const partOf = (part: ModelPart) =>
  part.kind === 'text'
    ? ({ type: 'text', text: part.text } as const)
    : {
        type: 'image_url' as const,
        image_url: {
          url: part.url,
          ...(part.detail === undefined ? {} : { detail: part.detail as 'auto' | 'low' | 'high' }),
        },
      };

const callOf = ({ id, name, arguments: input, extra: { function: inner, ...extra } = {} }: SentCall) => ({
  ...extra,
  id,
  type: 'function' as const,
  function: { ...(inner as object | undefined), name, arguments: input },
});

function toolOf(tool: ToolDefinition): ChatCompletionFunctionTool {
  const { name, description, parameters, strict } = tool;
  const more = strict === undefined ? {} : { strict };
  return {
    type: 'function',
    function: { name, description, parameters: parameters as Record<string, unknown>, ...more },
  };
}

const formatOf = (format: NonNullable<ModelRequest['responseFormat']>) => ({
  type: 'json_schema' as const,
  json_schema: {
    // The API takes 1 to 64 letters, digits, _ and -.
    name: format.name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'output',
    strict: format.strict,
    schema: format.schema as Record<string, unknown>,
  },
});
