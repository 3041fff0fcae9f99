/** A Chat Completions request, as far as these servers look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } };
  readonly response_format?: {
    type: 'text' | 'json_object' | 'json_schema';
    json_schema?: { name: string; strict?: boolean; schema?: unknown };
  };
  readonly reasoning_effort?: string;
  readonly stream?: boolean;
  readonly stream_options?: { include_usage?: boolean };
}

export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content?: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** What the caller did wrong; answered as OpenAI does. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  constructor(
    message: string,
    readonly param: string | null = null,
    readonly status = 400,
  ) {
    super(message);
  }
}

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/** @throws BadRequest */
export function parseChatRequest(json: string): ChatRequest {
  const body = parseJson(json);
  checkBody(body);
  const request = body as ChatRequest;
  checkTools(request);
  checkPairing(request.messages);
  return request;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new BadRequest('We could not parse the JSON body of your request.');
  }
}

function checkBody(body: unknown): void {
  if (!isObject(body)) throw new BadRequest('The body must be a JSON object.');
  if (typeof body['model'] !== 'string' || body['model'] === '')
    throw new BadRequest('you must provide a model parameter', 'model');
  if (!Array.isArray(body['messages']) || body['messages'].length === 0)
    throw new BadRequest("'messages' must be an array with at least one message", 'messages');
  body['messages'].forEach(checkMessage);
}

/** The text of a message, whichever form its content has. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}

/** Where a user asks for something last; -1: nowhere. The images that stand behind the results of tools ask for nothing. */
export const indexOfTask = (messages: readonly ChatMessage[]): number =>
  messages.findLastIndex(
    (message, at) => message.role === 'user' && !(messages[at - 1]?.role === 'tool' && hasImages(message)),
  );

const hasImages = ({ content }: ChatMessage): boolean =>
  Array.isArray(content) && content.some(({ type }: { readonly type: string }) => type === 'image_url');

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkMessage(message: unknown, at: number): void {
  if (!isObject(message) || !roles.has(String(message['role'])))
    throw new BadRequest(`Invalid value: 'messages[${at}].role'`, `messages[${at}].role`);
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content) && message['role'] !== 'assistant')
    throw new BadRequest(`Invalid type for 'messages[${at}].content'`, `messages[${at}].content`);
}

function checkTools(request: ChatRequest): void {
  if (request.tools === undefined) return;
  if (!Array.isArray(request.tools) || request.tools.length === 0)
    throw new BadRequest("[] is too short - 'tools'", 'tools');
  request.tools.forEach((tool: ChatTool, at) => {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool?.function?.name ?? ''))
      throw new BadRequest(
        `Invalid 'tools[${at}].function.name': a name has 1 to 64 letters, digits, _ or -`,
        `tools[${at}].function.name`,
      );
  });
}

/**
 * Real servers refuse a history in which a tool call has no result, or a result no call; being as strict here shows such
 * a mistake before a paying caller meets it.
 */
function checkPairing(messages: readonly ChatMessage[]): void {
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? ''))
        throw new BadRequest(
          "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages[${at}]`,
        );
      continue;
    }
    if (open.size > 0) throw unanswered(open, at);
    open = new Set(message.tool_calls?.map((call) => call.id));
  }
  if (open.size > 0) throw unanswered(open, messages.length);
}

const unanswered = (ids: Set<string>, at: number): BadRequest =>
  new BadRequest(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    `messages[${at}]`,
  );
