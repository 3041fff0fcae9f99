import type { ModelPiece, Usage } from '#agent';
import { AnswerEvents } from './answer-events.js';
import {
  type Chunk,
  type Delta,
  chunksIn,
  deltaOf,
  firstChoice,
  thinkingIn,
  thinkingInPart,
} from './answer-chunk.js';
import { failureOfWords, MalformedAnswer } from './failures.js';
import { finishReasonOf, finishWord, isBrokenOff } from './finish-reason.js';
import { ProviderFieldsReader } from './provider-fields.js';
import { ReportedUsage } from './reported-usage.js';
import { errorWordsIn } from './server-words.js';
import { SpokenPieces, type Spoken } from './spoken-pieces.js';
import { TextFrame } from './text-frame.js';
import { ThinkingTags } from './thinking-tags.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

export interface TurnReaderOptions {
  readonly apiKey: string;
  /** Names the server, for what goes back to no other. */
  readonly server: string;
  readonly model: string;
  /** Earlier answers of the model began inside of thinking. */
  readonly beginsInside?: boolean;
}

/** Parses one model response, streamed or not, into a turn. Owns what has been read of it so far. */
export class TurnReader {
  private readonly events = new AnswerEvents((data, name) => this.read(data, name));
  private readonly calls = new ToolCallAssembler();
  private readonly frame = new TextFrame();
  private readonly spoken = new SpokenPieces();
  private readonly provider = new ProviderFieldsReader();
  private readonly tags: ThinkingTags;
  /** The text as it came, for servers that send all of it with each piece. */
  private content = '';
  private chars = 0;
  private reason: string | undefined;
  /** More came behind the reason: it ends nothing. */
  private isReasonEarly = false;
  private readonly reported = new ReportedUsage();
  private hasChoice = false;
  private hasWholeMessage = false;
  private hasEnded = false;
  private done = false;

  constructor(private readonly options: TurnReaderOptions) {
    const say = (kind: 'text' | 'thinking') => (text: string) => this.spoken.add(kind, text);
    const listener = { text: say('text'), thinking: say('thinking'), wasThinking: () => this.spoken.turn() };
    this.tags = new ThinkingTags(listener, options.beginsInside);
  }

  /** The server said that the answer ends, so all of it is here; the usage may still follow. */
  get isFinished(): boolean {
    return this.hasEnded || (this.reason !== undefined && !this.isReasonEarly);
  }

  /** Nothing else is to be expected. */
  get isDone(): boolean {
    return this.done;
  }

  /** The model has said something, and not only thought. */
  get hasText(): boolean {
    return this.content.trim() !== '';
  }

  /** Whether the answers of this model begin inside of thinking, as far as this one shows it. */
  get beginsInside(): boolean | undefined {
    return this.tags.beginsInside;
  }

  /**
   * The text in these bytes, merged per kind.
   * @throws ModelFailure or Nonsense, if they hold an error or no answer
   */
  feed(bytes: Buffer): Spoken[] {
    this.events.feed(bytes);
    return this.spoken.take();
  }

  /** The body has ended well. What it means that was not clear before. @throws as feed does */
  close(): void {
    if (this.done) return;
    this.events.end();
    // One object was all of it.
    if (this.events.isJson && this.hasWholeMessage) this.hasEnded = true;
  }

  /**
   * What was held back in vain, and the end.
   * @param inputChars what was asked, to estimate the usage when the server does not tell it
   * @throws Nonsense when the answer was cut
   */
  end(inputChars: number): ModelPiece[] {
    const isWhole = this.hasChoice && (this.hasEnded || this.reason !== undefined);
    if (!isWhole) throw new MalformedAnswer("the model server's answer was cut");
    const hasCalls = !this.calls.isEmpty;
    const finishReason = finishReasonOf(this.reason, hasCalls);
    const isCut = finishReason === 'length' || finishReason === 'content_filter';
    this.tags.end(!isCut && !hasCalls);
    const calls = this.calls.finished(isCut);
    const { server, model } = this.options;
    const provider = this.provider.written(server, model, calls);
    return [
      ...this.spoken.rest(),
      {
        kind: 'end',
        finishReason,
        toolCalls: calls.map(({ call }) => call),
        usage: this.usage(inputChars),
        ...(provider === undefined ? {} : { provider }),
      },
    ];
  }

  /** What a call has used that does not come to its end; null: nothing of an answer has come. */
  used(inputChars: number): Usage | null {
    return this.hasChoice || this.chars > 0 || !this.reported.isEmpty ? this.usage(inputChars) : null;
  }

  private usage(inputChars: number): Usage {
    return this.reported.usage({
      inputTokens: Math.ceil(inputChars / 4),
      outputTokens: Math.ceil((this.chars + this.calls.chars) / 4),
    });
  }

  private read(data: string, name: string | undefined): void {
    if (this.done) return;
    const text = this.frame.textOf(data);
    if (text !== undefined) return this.sayText(text);
    const trimmed = data.trim();
    if (trimmed === '') return;
    if (/^\[?done\]?$/i.test(trimmed)) {
      this.hasEnded = this.hasChoice;
      this.done = true;
      return;
    }
    try {
      for (const chunk of chunksIn(trimmed, name)) this.readChunk(chunk, data, name);
    } catch (error) {
      // What breaks after the finish reason breaks no answer; asking again would pay for it twice.
      if (!this.isFinished) throw error;
      this.done = true;
    }
  }

  private readChunk(chunk: Chunk, data: string, name: string | undefined): void {
    const words = errorWordsIn(chunk, name);
    if (words !== undefined) throw failureOfWords(words, this.options.apiKey);
    const choice = firstChoice(chunk);
    const hasUsage = this.reported.take(chunk, choice);
    if (choice === undefined) {
      if (hasUsage && this.isFinished) this.done = true;
      return;
    }
    this.hasChoice = true;
    const failed = errorWordsIn({ error: choice.error }, undefined);
    if (failed !== undefined) throw failureOfWords(failed, this.options.apiKey);
    const { delta, isWhole } = deltaOf(choice);
    if (delta !== undefined) this.readDelta(delta, isWhole);
    const reason = finishWord(choice.finish_reason ?? choice.finishReason);
    if (reason === undefined) {
      this.hasWholeMessage ||= isWhole;
      if (!hasUsage && isOnlyText(choice.delta)) this.frame.learn(data, choice.delta.content);
      return;
    }
    if (isBrokenOff(reason)) throw new MalformedAnswer(`the model server broke off: ${reason.slice(0, 100)}`);
    this.reason = reason;
  }

  private readDelta(delta: Delta, isWhole: boolean): void {
    const thinking = thinkingIn(delta);
    if (thinking !== '') this.think(thinking);
    this.readContent(delta.content, isWhole);
    if (typeof delta.refusal === 'string') this.sayText(delta.refusal);
    const { tool_calls: calls } = delta;
    const list: readonly unknown[] = Array.isArray(calls) ? calls : [calls];
    for (const [at, call] of list.entries()) {
      if (typeof call !== 'object' || call === null) continue;
      this.noteMore();
      this.calls.add(call, isWhole ? at : undefined);
    }
    if (delta.function_call) {
      this.noteMore();
      this.calls.add({ index: 0, function: delta.function_call });
    }
    this.provider.add(delta, isWhole);
  }

  private readContent(content: unknown, isWhole: boolean): void {
    if (Array.isArray(content)) return this.readParts(content);
    if (typeof content !== 'string') return;
    // A message may hold all that came before it.
    const isMore = isWhole && this.content !== '' && content.startsWith(this.content);
    const text = isMore ? content.slice(this.content.length) : content;
    this.sayText(text);
    if (text !== '') this.provider.addText(text);
  }

  /** Content as a list of parts, of which some are thinking. */
  private readParts(parts: readonly unknown[]): void {
    const before = this.content;
    for (const part of parts) {
      if (typeof part === 'string') this.sayText(part);
      if (typeof part !== 'object' || part === null) continue;
      const thinking = thinkingInPart(part);
      const { text, refusal } = part as { text?: unknown; refusal?: unknown };
      if (thinking !== '') this.think(thinking);
      else if (typeof text === 'string') this.sayText(text);
      else if (typeof refusal === 'string') this.sayText(refusal);
    }
    this.provider.addParts(parts, before);
  }

  private sayText(text: string): void {
    if (text === '') return;
    this.noteMore();
    this.content += text;
    this.chars += text.length;
    this.tags.add(text);
  }

  private think(text: string): void {
    this.chars += text.length;
    if (text.trim() !== '') this.tags.settle();
    this.spoken.add('thinking', text);
  }

  private noteMore(): void {
    if (this.reason !== undefined) this.isReasonEarly = true;
  }
}

const isOnlyText = (delta: unknown): delta is { content: string } => {
  if (typeof delta !== 'object' || delta === null) return false;
  const { content } = delta as Delta;
  return (
    typeof content === 'string' &&
    content !== '' &&
    Object.keys(delta).every((key) => key === 'content' || key === 'role')
  );
};
