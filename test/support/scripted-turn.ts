import type { AnswerPiece } from '#demo-model';

/** A door in the middle of an answer that the test opens by hand. */
export class Gate {
  private reach!: () => void;
  private release!: () => void;
  /** Resolves when the model stands before it. */
  readonly reached = new Promise<void>((resolve) => (this.reach = resolve));
  readonly opened = new Promise<void>((resolve) => (this.release = resolve));

  open(): void {
    this.release();
  }

  /** @internal for the model */
  arrive(): Promise<void> {
    this.reach();
    return this.opened;
  }
}

/** What a turn does next. A plain string is a piece of text. */
export type ScriptStep =
  | string
  | AnswerPiece
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'gate'; readonly gate: Gate }
  /** An SSE comment, as servers send to keep a connection open. */
  | { readonly kind: 'comment'; readonly text: string }
  /** Bytes as they are, between the chunks. */
  | { readonly kind: 'raw'; readonly bytes: string | Uint8Array }
  /** A chunk with this JSON text as its data. */
  | { readonly kind: 'data'; readonly json: string }
  /** An error object in the stream; the stream goes on behind it. */
  | { readonly kind: 'error'; readonly error: unknown }
  /** Nothing more comes, and the connection stays open. */
  | { readonly kind: 'hang' }
  /** The connection is reset (RST). */
  | { readonly kind: 'reset' }
  /** The connection ends here, with a FIN, in the middle of the answer. */
  | { readonly kind: 'cut' };

/** A streamed answer. */
export interface ScriptedAnswer {
  readonly kind?: 'answer';
  readonly steps: readonly ScriptStep[];
  /** `null`: none is given. Default: `tool_calls` if there are calls, else `stop`. */
  readonly finishReason?: string | null;
  /** `null`: none is given. Default: counted, four characters a token, if the request asks for it. */
  readonly usage?: { readonly input: number; readonly output: number } | { readonly raw: object } | null;
  /** The usage stands on the chunk with the finish reason instead of one of its own. */
  readonly usageOnLastChunk?: boolean;
  /** false: no `[DONE]` at the end. */
  readonly done?: boolean;
  /** false: no first chunk with the role. */
  readonly role?: boolean;
  /** Text deltas in this field instead of `reasoning_content`. */
  readonly thinkingField?: string;
  readonly newline?: '\n' | '\r\n' | '\r';
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** After this many bytes of the body the connection is lost. */
  readonly cutAfterBytes?: number;
  /** How it is lost: `fin` without the end of the body, or `rst`. Default `fin`. */
  readonly cutBy?: 'fin' | 'rst';
  /** The body leaves in packets of this many bytes. */
  readonly packetBytes?: number;
}

export type ScriptedTurn =
  | ScriptedAnswer
  /** An answer that is no stream. A body that is an object is sent as JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: object | string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is reset before the headers. */
  | { readonly kind: 'reset' }
  /** Not even headers come. */
  | { readonly kind: 'hang' };

export const thinking = (...texts: string[]): ScriptStep[] =>
  texts.map((text) => ({ kind: 'thinking', text }));

/** A whole tool call in two pieces: id and name, then the arguments. */
export const call = (index: number, id: string, name: string, args: object | string = {}): ScriptStep[] => [
  { kind: 'call', index, id, name, arguments: '' },
  { kind: 'call', index, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
];

export const delay = (ms: number): ScriptStep => ({ kind: 'delay', ms });
export const before = (gate: Gate): ScriptStep => ({ kind: 'gate', gate });

/** A turn that says `steps` and ends well. */
export const say = (...steps: ScriptStep[]): ScriptedAnswer => ({ steps });

/** A refusal as OpenAI words it. */
export const refusal = (
  status: number,
  message: string,
  more: { code?: string; headers?: Record<string, string> } = {},
): ScriptedTurn => ({
  kind: 'status',
  status,
  body: { error: { message, type: 'error', param: null, code: more.code ?? null } },
  ...(more.headers === undefined ? {} : { headers: more.headers }),
});
