import type { ModelMessage, ModelPiece, ToolCall } from '#agent';

/**
 * What the scripted model answers: a function of what it is told, so that the text of every turn on a log can be checked
 * against the messages that stood before it. The script itself stands in the user's message.
 */
export interface Script {
  /** Tells this message from every other. */
  readonly m: number;
  /** The tools that each turn calls; a turn that calls none, or one past the end, is the last. */
  readonly turns: readonly (readonly string[])[];
  readonly words: number;
  readonly thinks: boolean;
}

/** What is done in a workflow's step: the step's description is this, as one line of JSON. */
export interface StepScript {
  /** Tells this step from every other; the same for all calls of its workflow. */
  readonly step: string;
  readonly turns: readonly (readonly string[])[];
  readonly words: number;
  /** The output has to be JSON. */
  readonly isJson: boolean;
  /** Which attempts give output that does not validate. */
  readonly wrong: 'never' | 'first' | 'always';
}

/** The schema of every step whose output has to be JSON. */
export const STEP_SCHEMA = {
  type: 'object',
  properties: { said: { type: 'string', minLength: 1 } },
  required: ['said'],
  additionalProperties: false,
} as const;

/** A prompt that was made for a step. */
export interface StepPrompt {
  readonly step: string;
  /** What the call gave its workflow: unique to the call. */
  readonly input: string;
}

export interface Reply {
  readonly thinking: readonly string[];
  readonly text: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  /** Place of the turn in its run, from 0. */
  readonly turn: number;
  readonly message: string;
  /** null: the main agent is asked. */
  readonly step: StepPrompt | null;
}

/** The messages of a context, without the system's. */
export type PromptMessage = Exclude<ModelMessage, { role: 'system' }>;

export function replyTo(messages: readonly PromptMessage[]): Reply {
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const message = messages[asked]?.content ?? '';
  const prompt = hashOf(messages);
  const forStep = stepScriptOf(message);
  if (forStep !== null) {
    const turn = messages.slice(asked).filter((m) => m.role === 'assistant').length;
    return stepReply(forStep, message, turn, prompt);
  }
  const turn = turnOf(messages, asked);
  const script = scriptOf(message);
  const tools = script.turns[turn] ?? [];
  return {
    thinking: script.thinks ? wordsOf(`thinking ${prompt}`, 2) : [],
    text: wordsOf(prompt, script.words),
    toolCalls: tools.map((name, i) => callOf(name, i, `${turn}.${prompt}-${i}`)),
    turn,
    message,
    step: null,
  };
}

/** What the model says of a conversation that it is to sum up. */
interface Summary {
  readonly summary: string;
  /** Of the message that was asked last. */
  readonly m: number;
  /** Its turns so far. */
  readonly turn: number;
}

/** A summary of what stands before the question for it. */
export function summaryOf(messages: readonly PromptMessage[]): string {
  const told = messages.slice(0, -1);
  const asked = told.findLastIndex((message) => message.role === 'user');
  const { m } = scriptOf(told[asked]?.content ?? '');
  return JSON.stringify({ summary: hashOf(told), m, turn: turnOf(told, asked) } satisfies Summary);
}

export const isForSummary = (messages: readonly PromptMessage[]): boolean =>
  messages.at(-1)?.role === 'user' && messages.at(-1)!.content.startsWith('Write a summary of this');

/** The place of the next turn in its run: calls say which turn made them, and a summary which turns it stands for. */
function turnOf(messages: readonly PromptMessage[], asked: number): number {
  const calls = messages.slice(asked).flatMap((m) => (m.role === 'assistant' ? (m.toolCalls ?? []) : []));
  const [, last] = KEY.exec(calls.at(-1)?.arguments ?? '') ?? [];
  if (last !== undefined) return Number(last) + 1;
  const { m, turn } = summaryIn(messages[0]?.content ?? '');
  return m === scriptOf(messages[asked]?.content ?? '').m ? turn : 0;
}

const KEY = /"(?:key|input)":"(\d+)\./;

function summaryIn(text: string): Summary {
  const found: unknown = text.startsWith('{"summary":') ? JSON.parse(text) : null;
  return (found ?? { summary: '', m: -2, turn: 0 }) as Summary;
}

function stepReply(script: StepScript, message: string, turn: number, prompt: string): Reply {
  const tools = script.turns[turn] ?? [];
  const words = wordsOf(prompt, script.words);
  const isLast = tools.length === 0;
  return {
    thinking: [],
    text: isLast && script.isJson ? [isWrong(script, message) ? '{"said":' : jsonOf(words)] : words,
    toolCalls: tools.map((name, i) => callOf(name, i, `${prompt}-${i}`)),
    turn,
    message,
    step: { step: script.step, input: INPUT.exec(message)?.[1] ?? '' },
  };
}

const jsonOf = (words: readonly string[]): string => JSON.stringify({ said: `said ${words.join('')}` });

const INPUT = /^Input of the workflow:\n(.*)$/m;
const STEP = /^\{"step":.*$/m;
const FAILED_BEFORE = 'An earlier attempt at this step failed.';

const isWrong = ({ wrong }: StepScript, message: string): boolean =>
  wrong === 'always' || (wrong === 'first' && !message.includes(FAILED_BEFORE));

function stepScriptOf(message: string): StepScript | null {
  if (!message.startsWith('You carry out one step')) return null;
  const [line] = STEP.exec(message) ?? [];
  return line === undefined ? null : (JSON.parse(line) as StepScript);
}

export function endOf(reply: Reply): ModelPiece {
  const length = reply.text.length;
  return {
    kind: 'end',
    finishReason: reply.toolCalls.length > 0 ? 'tool_calls' : 'stop',
    toolCalls: reply.toolCalls,
    usage: { inputTokens: 10 + length, outputTokens: 5 + length, estimated: false },
  };
}

/** Ids repeat from turn to turn, as those of some servers do. */
function callOf(name: string, i: number, key: string): ToolCall {
  if (name === 'broken') return { id: `call_${i}`, name: 'read', arguments: `{"key":"${key}` };
  if (name.startsWith('flow')) {
    const args = { workflow_id: name, input: key };
    return { id: `call_${i}`, name: 'run_workflow', arguments: JSON.stringify(args) };
  }
  return { id: `call_${i}`, name, arguments: JSON.stringify({ key }) };
}

const NO_SCRIPT: Script = { m: -1, turns: [], words: 1, thinks: false };

function scriptOf(message: string): Script {
  try {
    return { ...NO_SCRIPT, ...(JSON.parse(message) as Partial<Script>) };
  } catch {
    return NO_SCRIPT;
  }
}

function wordsOf(seed: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${i === 0 ? '' : ' '}${seed.slice(-6)}.${i}`);
}

function hashOf(messages: readonly PromptMessage[]): string {
  let h1 = 0x811c9dc5;
  let h2 = 0x1b873593;
  const mix = (text: string) => {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      h1 = Math.imul(h1 ^ unit, 0x01000193);
      h2 = Math.imul(h2 ^ unit, 0x5bd1e995) ^ (h2 >>> 13);
    }
    h1 ^= text.length;
  };
  for (const message of messages) {
    mix(message.role);
    mix(message.content);
    if (message.role === 'tool') mix(message.callId);
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) mix(`${call.id}${call.name}${call.arguments}`);
  }
  return (h1 >>> 0).toString(36) + (h2 >>> 0).toString(36);
}

/** What a tool answers to a call with this key, unless it fails. */
export function resultOf(tool: string, key: string): string {
  const answer = `${tool} of ${key}`;
  // Characters that JSON writes as six bytes: the cheapest text that is too large for an event.
  return tool === 'read_much' ? answer + '\u0001'.repeat(16_400) : answer;
}
