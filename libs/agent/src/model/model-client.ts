import type { ProjectId, SamplingOptions } from '#domain';
import type { ModelParameter } from '#platform';

/** One message of the model's context, in the terms of Chat Completions. */
export type ModelMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      readonly content: string;
      readonly images?: readonly ModelImage[];
      /** What is sent instead of the content. */
      readonly parts?: readonly ModelPart[];
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** As the `end` of its turn had it. */
      readonly provider?: string;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

/** A part of a message; an image is an address or a `data:` URL, handed on as it is. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string; readonly detail?: string };

/** A picture that goes with a message. */
export interface ModelImage {
  /** Equal for equal content of a session. */
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface ToolCall {
  /** The model's id of the call, unique within its turn. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it; may be broken. */
  readonly arguments: string;
  /** The answer was cut before these arguments were complete. */
  readonly isCut?: true;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: object;
  /** Whether its calls must fit the schema to the letter; absent: as the server likes. */
  readonly strict?: boolean;
}

export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly reasoningEffort?: string;
  /** Asks for output that validates against the schema. */
  readonly responseFormat?: { readonly name: string; readonly schema: object; readonly strict: boolean };
  /** The model must call this tool. */
  readonly forcedTool?: string;
  /** It must call one of them, or none; absent: as it likes. */
  readonly toolChoice?: 'required' | 'none';
  /** Sent as they are. */
  readonly sampling?: Omit<SamplingOptions, 'reasoning_effort'>;
  /** Whose it is: where calls have to wait for each other, they do so in turns by project. */
  readonly project?: ProjectId;
  /** Parameters that are not to be sent. */
  readonly omit?: readonly ModelParameter[];
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Those of the input that the server had kept from before; absent: it says nothing of it, as of all parts. */
  readonly cachedInputTokens?: number;
  /** Those of the input that it has kept for later. */
  readonly cacheWriteTokens?: number;
  /** Those of the output that were thinking. */
  readonly reasoningTokens?: number;
  /** The server did not count all of it: then it is counted from the text, about four characters a token. */
  readonly estimated: boolean;
  /** The counts as the server named them; absent: it named none. */
  readonly reported?: Readonly<Record<string, number>>;
}

export type ModelPiece =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** All the text of the turn so far was thinking, as it turned out. */
  | { readonly kind: 'was_thinking' }
  /** Names of tools that were not offered: the server takes fewer. The first of a stream, if at all. */
  | { readonly kind: 'left_out'; readonly tools: readonly string[] }
  /** The last of a stream that ended well. */
  | {
      readonly kind: 'end';
      readonly finishReason: 'stop' | 'tool_calls' | 'length' | 'content_filter';
      readonly toolCalls: readonly ToolCall[];
      readonly usage: Usage;
      /** What the server sent with the message besides what we know, and may want back: see ProviderFields. */
      readonly provider?: string;
      /** Ids of images that it was not shown: the server does not take them. */
      readonly unseen?: readonly string[];
    };

/** Told what a call has used that broke, or was cancelled, after something of its answer had come. */
export type OnBroken = (usage: Usage) => void;

/** A model behind a network. */
export abstract class ModelClient {
  /**
   * One turn, asked once. Each array holds what came in one piece from the network, never empty; the last piece of the
   * last array is the `end`.
   * @throws ModelFailure, or the signal's reason when it is aborted
   */
  abstract stream(
    request: ModelRequest,
    signal: AbortSignal,
    onBroken?: OnBroken,
  ): AsyncIterable<readonly ModelPiece[]>;
}

/** A server's words for what it does not take, as it sent them. */
export interface ServerSaid {
  /** Of HTTP, or what stands for it in a stream. */
  readonly status: number;
  readonly words: { readonly message: string; readonly code: string; readonly param: string };
}

/**
 * Why a turn broke. `transient`: asking again may help (429, 408, 5xx, reset, time-out, cut stream, nonsense);
 * `too_long`: the context does not fit; `refused`: asking the same again is useless.
 */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  constructor(
    readonly kind: 'transient' | 'too_long' | 'refused',
    /** What happened, fit to be shown: no key, no URL. */
    message: string,
    options?: { readonly cause?: unknown; readonly retryAfterMs?: number; readonly said?: ServerSaid },
  ) {
    super(message, { cause: options?.cause });
    this.retryAfterMs = options?.retryAfterMs;
    this.said = options?.said;
  }
  readonly retryAfterMs: number | undefined;
  /** What the server said, where it was the server that said something. Not fit to be shown. */
  readonly said: ServerSaid | undefined;
}
