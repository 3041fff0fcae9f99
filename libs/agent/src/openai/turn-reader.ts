import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { ModelPiece, ToolCall, Usage } from '../model-client.js';
import { cleanText } from './clean-text.js';
import { failureOfErrorObject, Nonsense } from './failures.js';
import { TextFrame } from './text-frame.js';
import { type CallPiece, ToolCallAssembler } from './tool-call-assembler.js';

type FinishReason = Extract<ModelPiece, { kind: 'end' }>['finishReason'];
type Spoken = Exclude<ModelPiece, { kind: 'end' }>;

/** Chunks are read as if every field could be anything: servers differ, and some lie. */
interface Chunk {
  readonly error?: unknown;
  readonly choices?: readonly ({
    readonly index?: unknown;
    readonly delta?: Delta | null;
    readonly finish_reason?: unknown;
  } | null)[];
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown } | null;
}

interface Delta {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: readonly (CallPiece | null)[] | null;
  readonly function_call?: CallPiece['function'];
}

/** Reads the bytes of one streamed answer and says what they mean. Owns what has been read of one turn so far. */
export class TurnReader {
  private readonly decoder = new StringDecoder('utf8');
  private readonly parser = createParser({ onEvent: (event) => this.read(event.data) });
  private readonly calls = new ToolCallAssembler();
  private readonly frame = new TextFrame();
  private pieces: { kind: Spoken['kind']; text: string }[] = [];
  /** The first half of a surrogate pair whose second half is still to come. */
  private held: { kind: Spoken['kind']; text: string } | undefined;
  private chars = 0;
  private reason: string | undefined;
  private usage: Usage | undefined;
  private done = false;

  constructor(private readonly apiKey: string) {}

  /** Something of the answer has come. */
  get hasBegun(): boolean {
    return this.chars > 0 || !this.calls.isEmpty;
  }

  /** The server said why the answer ended, so all of it is here; the usage may still follow. */
  get isFinished(): boolean {
    return this.reason !== undefined;
  }

  /** Nothing else is to be expected. */
  get isDone(): boolean {
    return this.done;
  }

  /**
   * The text in these bytes, merged per kind.
   * @throws ModelFailure or Nonsense, if they hold an error or no answer
   */
  feed(bytes: Buffer): Spoken[] {
    this.pieces = [];
    this.parser.feed(this.decoder.write(bytes));
    return this.spoken();
  }

  /** What was held back in vain. */
  rest(): Spoken[] {
    return this.held === undefined ? [] : [{ kind: this.held.kind, text: cleanText(this.held.text) }];
  }

  /** @param inputChars what was asked, to estimate the usage when the server does not tell it */
  end(inputChars: number): Extract<ModelPiece, { kind: 'end' }> {
    const toolCalls = this.calls.finished();
    const estimate = () => ({
      inputTokens: Math.ceil(inputChars / 4),
      outputTokens: Math.ceil((this.chars + this.calls.chars) / 4),
      estimated: true,
    });
    const finishReason = finishReasonOf(this.reason, toolCalls);
    return { kind: 'end', finishReason, toolCalls, usage: this.usage ?? estimate() };
  }

  private read(data: string): void {
    if (this.done || data === '') return;
    if (data === '[DONE]') {
      this.done = true;
      return;
    }
    const text = this.frame.textOf(data);
    if (text !== undefined) return this.say('text', text);
    try {
      this.readChunk(data);
    } catch (error) {
      // What breaks after the finish reason breaks no answer; asking again would pay for it twice.
      if (!this.isFinished) throw error;
      this.done = true;
    }
  }

  private readChunk(data: string): void {
    const chunk = parseChunk(data);
    if (chunk.error !== undefined && chunk.error !== null)
      throw failureOfErrorObject(chunk.error, this.apiKey);
    const choice = chunk.choices?.[0];
    if (chunk.usage) {
      this.usage = usageOf(chunk.usage) ?? this.usage;
      if (!choice && this.isFinished) this.done = true;
    }
    if (!choice || (typeof choice.index === 'number' && choice.index > 0)) return;
    if (choice.delta) this.readDelta(choice.delta);
    const reason = choice.finish_reason;
    if (typeof reason !== 'string' || reason === '') {
      if (!chunk.usage && isOnlyText(choice.delta)) this.frame.learn(data, choice.delta.content);
      return;
    }
    if (reason === 'error') throw new Nonsense('the model server broke off with an error');
    this.reason = reason;
  }

  private readDelta(delta: Delta): void {
    const thinking = textIn(delta.reasoning_content) || textIn(delta.reasoning);
    if (thinking !== '') this.say('thinking', thinking);
    if (typeof delta.content === 'string') {
      if (delta.content !== '') this.say('text', delta.content);
    } else if (Array.isArray(delta.content)) this.readParts(delta.content);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') this.say('text', delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) if (call) this.calls.add(call);
    if (delta.function_call) this.calls.add({ index: 0, function: delta.function_call });
  }

  /** Content as a list of parts, of which some are thinking. */
  private readParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      const thinking = textIn((part as { thinking?: unknown } | null)?.thinking);
      if (thinking !== '') this.say('thinking', thinking);
      const text = textIn(part);
      if (text !== '') this.say('text', text);
    }
  }

  private say(kind: Spoken['kind'], text: string): void {
    this.chars += text.length;
    const last = this.pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.pieces.push({ kind, text });
  }

  /** The pieces that were said, without half an emoji at their end: servers cut between tokens, not characters. */
  private spoken(): Spoken[] {
    const { held, pieces } = this;
    if (pieces.length === 0) return pieces;
    const first = pieces[0];
    if (held !== undefined && first?.kind === held.kind) first.text = held.text + first.text;
    else if (held !== undefined) pieces.unshift(held);
    const last = pieces.at(-1);
    this.held = undefined;
    if (last !== undefined && /[\ud800-\udbff]$/.test(last.text)) {
      this.held = { kind: last.kind, text: last.text.slice(-1) };
      last.text = last.text.slice(0, -1);
    }
    for (const piece of pieces) piece.text = cleanText(piece.text);
    return pieces.filter((piece) => piece.text !== '');
  }
}

const isOnlyText = (delta: Delta | null | undefined): delta is { content: string } =>
  typeof delta?.content === 'string' &&
  delta.content !== '' &&
  Object.keys(delta).every((key) => key === 'content' || key === 'role');

function parseChunk(data: string): Chunk {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new Nonsense("a piece of the model server's answer is not JSON");
  }
  if (typeof value !== 'object' || value === null)
    throw new Nonsense("a piece of the model server's answer is no object");
  return value;
}

/** Text given as a string, as {text}, or as a list of these. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (typeof value !== 'object' || value === null) return '';
  const { text } = value as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

function usageOf(usage: NonNullable<Chunk['usage']>): Usage | undefined {
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return isCount(input) && isCount(output)
    ? { inputTokens: input, outputTokens: output, estimated: false }
    : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function finishReasonOf(reason: string | undefined, calls: readonly ToolCall[]): FinishReason {
  if (reason === 'length' || reason === 'content_filter') return reason;
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
