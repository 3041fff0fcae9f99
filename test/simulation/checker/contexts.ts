import { type Content, ContextFold, type ContextMessage, type TurnToolCall, isFileRef } from '#domain';
import { type PromptMessage, type Reply, replyTo } from '../world/script.js';
import { type Evidence, type SessionLog, type SessionRecord, at, require } from './evidence.js';

/**
 * I3 and I5: folded from every prefix, the context pairs each call with its result; and each turn on the log says what
 * the model says to the context that stands before it. So nothing was lost, doubled or made up, whoever drove the run.
 */
export function checkContext({ id, events }: SessionLog, evidence: Evidence): void {
  const contexts = new Contexts();
  const said = new Said();
  for (const event of events) {
    if (event.type === 'model_turn_completed' && event.data.step === undefined) {
      const { messages } = contexts.current;
      const reply = replyTo(
        messages.filter((m) => m.role !== 'system').map((message) => resolved(message, id, evidence)),
      );
      checkTurn(event, reply, said, id, evidence);
      contexts.push(event);
      checkRemembered(event, contexts.current.messages, said, id, evidence);
      checkPairs(event, contexts.current.messages);
      said.forget();
      continue;
    }
    if (FORGETS.has(event.type)) said.forget();
    else if (event.type === 'agent_response') said.text.push(event.data.content);
    else if (event.type === 'agent_thinking') said.thinking.push(event.data.content);
    const { isCleared } = contexts;
    if (contexts.push(event)) checkPairs(event, contexts.current.messages);
    // What a client saw last of a run that was cut off is told to the next one.
    if (ENDS.has(event.type) && !isCleared)
      checkRemembered(event, contexts.current.messages, said, id, evidence);
  }
}

/** The context of the run under way, and the one that the next run begins with: a clear parts them. */
class Contexts {
  current = new ContextFold();
  private next: ContextFold | null = null;
  private isRunning = false;
  private readonly requests: SessionRecord[] = [];

  /** Since the run under way began. */
  get isCleared(): boolean {
    return this.next !== null;
  }

  /** Whether the messages may have changed. */
  push(event: SessionRecord): boolean {
    if (event.type === 'run_requested') this.requests.push(event);
    if (event.type === 'messages_cleared' && this.isRunning) this.next = this.emptied();
    else this.current.push(event);
    this.next?.push(event);
    if (event.type === 'agent_started') this.isRunning = true;
    if (ENDS.has(event.type)) {
      this.isRunning = false;
      this.current = this.next ?? this.current;
      this.next = null;
    }
    return CHANGES.has(event.type);
  }

  private emptied(): ContextFold {
    const fold = new ContextFold();
    for (const request of this.requests) fold.push(request);
    return fold;
  }
}

const ENDS: ReadonlySet<string> = new Set(['agent_completed', 'agent_error', 'agent_cancelled']);
/** What was said before it is no part of the turn. */
const FORGETS: ReadonlySet<string> = new Set([
  'model_turn_failed',
  'agent_compacted',
  'run_claimed',
  'agent_started',
]);
const CHANGES: ReadonlySet<string> = new Set([
  'agent_started',
  'model_turn_completed',
  'tool_call_completed',
  'agent_compacted',
  'messages_cleared',
]);

/** What stands on the log of the turn that is not complete. */
class Said {
  text: Content[] = [];
  thinking: Content[] = [];

  forget(): void {
    this.text = [];
    this.thinking = [];
  }
}

function checkTurn(
  event: SessionRecord,
  reply: Reply,
  said: Said,
  session: string,
  { textOf }: Evidence,
): void {
  const joined = (parts: readonly Content[]) =>
    parts.map((part) => (isFileRef(part) ? textOf(session, part.$file) : part)).join('');
  const text = joined(said.text);
  const expected = reply.text.join('');
  require(text === expected, "I3 blocks spell the model's text", () =>
    `${at(event)}: "${text}", not "${expected}"`);
  require(joined(said.thinking) === reply.thinking.join(''), "I3 blocks spell the model's text", () =>
    `${at(event)}: thinking "${joined(said.thinking)}"`);
  const calls = JSON.stringify(
    event.type === 'model_turn_completed' ? (event.data.tool_calls ?? []).map(asSaid) : [],
  );
  require(calls === JSON.stringify(reply.toolCalls), "I3 a turn has the model's calls", () =>
    `${at(event)}: ${calls}, not ${JSON.stringify(reply.toolCalls)}`);
}

/** A call as the model made it, without what the log says of it besides. */
export const asSaid = ({ id, name, arguments: input, cut }: TurnToolCall): object => ({
  id,
  name,
  arguments: input,
  ...(cut ? { cut } : {}),
});

/** What the model will be told that it said is what it said. */
function checkRemembered(
  event: SessionRecord,
  messages: readonly ContextMessage[],
  said: Said,
  session: string,
  { textOf }: Evidence,
): void {
  const calls = event.type === 'model_turn_completed' ? (event.data.tool_calls ?? []).length : 0;
  if (said.text.length === 0 && calls === 0) return;
  const last = messages[messages.length - 1 - calls];
  const text = (parts: readonly Content[]) =>
    parts.map((part) => (isFileRef(part) ? textOf(session, part.$file) : part)).join('');
  require(last?.role === 'assistant' &&
    text([last.content]) === text(said.text), 'I3 the context holds what was said', () =>
    `${at(event)}: "${JSON.stringify(last)}", not "${text(said.text)}"`);
}

function checkPairs(event: SessionRecord, messages: readonly ContextMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const expected = open.shift();
      require(message.callId === expected, 'I5 calls pair with results', () =>
        `${at(event)}: ${message.callId}, not ${expected}`);
      continue;
    }
    require(open.length === 0, 'I5 calls pair with results', () => `${at(event)}: ${open.join()} has none`);
    open = message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [];
  }
  require(open.length === 0, 'I5 calls pair with results', () => `${at(event)}: ${open.join()} has none`);
}

function resolved(
  message: Exclude<ContextMessage, { role: 'system' }>,
  session: string,
  { textOf }: Evidence,
): PromptMessage {
  const { provider: _, parts: __, ...said } = { provider: undefined, parts: undefined, ...message };
  const read = (content: Content) => (isFileRef(content) ? textOf(session, content.$file) : content);
  const content = read(said.content);
  if (said.role !== 'assistant' || said.toolCalls === undefined) return { ...said, content } as PromptMessage;
  const toolCalls = said.toolCalls.map((call) => ({ ...call, arguments: read(call.arguments) }));
  return { ...said, content, toolCalls };
}
