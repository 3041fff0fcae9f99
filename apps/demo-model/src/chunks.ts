/** A piece of an answer; a tool call may be spread over several pieces with the same index. */
export type AnswerPiece =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly index?: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
    };

export interface TokenUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Writes the chunks of one streamed answer, each as the `data:` text of an SSE record. */
export class ChunkWriter {
  private readonly created = Math.floor(Date.now() / 1000);

  constructor(
    private readonly id: string,
    private readonly model: string,
  ) {}

  role(): string {
    return this.delta({ role: 'assistant', content: '' });
  }

  piece(piece: AnswerPiece): string {
    switch (piece.kind) {
      case 'thinking':
        return this.delta({ reasoning_content: piece.text });
      case 'text':
        return this.delta({ content: piece.text });
      case 'call': {
        const { kind: _kind, index, id, name, arguments: args } = piece;
        const call = {
          ...(index === undefined ? {} : { index }),
          ...(id === undefined ? {} : { id, type: 'function' }),
        };
        return this.delta({ tool_calls: [{ ...call, function: { name, arguments: args } }] });
      }
    }
  }

  finish(reason: string): string {
    return this.delta({}, reason);
  }

  usage(usage: TokenUsage): string {
    return this.chunk({ choices: [], usage: total(usage) });
  }

  readonly done = '[DONE]';

  /** The answer in one object, for a request without `stream`. */
  whole(pieces: readonly AnswerPiece[], finishReason: string, usage: TokenUsage | null): object {
    const join = (kind: 'thinking' | 'text') =>
      pieces.map((piece) => (piece.kind === kind ? piece.text : '')).join('');
    const calls = joinCalls(pieces);
    const message = {
      role: 'assistant',
      content: join('text') || null,
      ...(join('thinking') === '' ? {} : { reasoning_content: join('thinking') }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...this.frame('chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
      ...(usage === null ? {} : { usage: total(usage) }),
    };
  }

  private delta(delta: object, reason: string | null = null): string {
    return this.chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });
  }

  private chunk(rest: object): string {
    return JSON.stringify({ ...this.frame('chat.completion.chunk'), ...rest });
  }

  private frame(object: string): object {
    return { id: this.id, object, created: this.created, model: this.model };
  }
}

const total = (usage: TokenUsage): object => ({
  total_tokens: usage.prompt_tokens + usage.completion_tokens,
  ...usage,
});

function joinCalls(pieces: readonly AnswerPiece[]): object[] {
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  for (const piece of pieces) {
    if (piece.kind !== 'call') continue;
    const index = piece.index ?? 0;
    const call = calls.get(index) ?? { id: '', name: '', arguments: '' };
    calls.set(index, {
      id: piece.id ?? call.id,
      name: call.name + (piece.name ?? ''),
      arguments: call.arguments + (piece.arguments ?? ''),
    });
  }
  return [...calls.values()].map(({ id, ...call }) => ({ id, type: 'function', function: call }));
}
