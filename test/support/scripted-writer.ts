import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { type ChatExchange, ChunkWriter, type TokenUsage } from '#demo-model';
import type { ScriptedAnswer, ScriptStep } from './scripted-turn.js';

/** Plays one answer to one client. Every wait ends when the client goes away. */
export class ScriptedWriter {
  private readonly chunks: ChunkWriter;
  private readonly newline: string;
  private readonly gone: Promise<void>;
  private sent = 0;
  private chars = 0;
  private hasCalls = false;

  constructor(
    private readonly exchange: ChatExchange,
    private readonly answer: ScriptedAnswer,
    id: string,
  ) {
    this.chunks = new ChunkWriter(id, exchange.request.model);
    this.newline = answer.newline ?? '\n';
    this.gone = aborted(exchange.gone);
  }

  async play(): Promise<void> {
    const { answer } = this;
    this.response.writeHead(200, {
      'content-type': answer.contentType ?? 'text/event-stream; charset=utf-8',
      ...answer.headers,
    });
    this.response.flushHeaders();
    if (answer.role !== false) await this.send(this.chunks.role());
    for (const step of answer.steps) {
      if (this.isOver) return;
      await this.step(step);
    }
    if (!this.isOver) await this.finish();
    if (!this.isOver) this.response.end();
  }

  private get response(): ServerResponse {
    return this.exchange.response;
  }

  private get isOver(): boolean {
    return this.exchange.gone.aborted || this.response.destroyed;
  }

  private async step(step: ScriptStep): Promise<void> {
    if (typeof step === 'string') return this.step({ kind: 'text', text: step });
    switch (step.kind) {
      case 'thinking':
      case 'text':
        this.chars += step.text.length;
        return this.send(this.renamed(this.chunks.piece(step)));
      case 'call':
        this.hasCalls = true;
        this.chars += step.arguments?.length ?? 0;
        return this.send(this.chunks.piece(step));
      case 'delay':
        return sleep(step.ms, undefined, { signal: this.exchange.gone }).catch(() => {});
      case 'gate':
        return Promise.race([step.gate.arrive(), this.gone]);
      case 'comment':
        return this.write(`: ${step.text}${this.newline}${this.newline}`);
      case 'raw':
        return this.write(step.bytes);
      case 'data':
        return this.send(step.json);
      case 'error':
        return this.send(JSON.stringify({ error: step.error }));
      case 'hang':
        return this.gone;
      case 'reset':
        await nextTick();
        this.lose('rst');
        return;
      case 'cut':
        await nextTick();
        this.lose('fin');
    }
  }

  private async finish(): Promise<void> {
    const { answer } = this;
    const reason = answer.finishReason === undefined ? this.ownReason() : answer.finishReason;
    const usage = this.usage();
    if (reason !== null) {
      const last = this.chunks.finish(reason);
      await this.send(
        usage !== null && answer.usageOnLastChunk === true
          ? last.replace(/}$/, `,"usage":${JSON.stringify(usage)}}`)
          : last,
      );
    }
    if (usage !== null && answer.usageOnLastChunk !== true) await this.send(this.chunks.usage(usage));
    if (answer.done !== false) await this.send(this.chunks.done);
  }

  private ownReason(): string {
    return this.hasCalls ? 'tool_calls' : 'stop';
  }

  private usage(): TokenUsage | null {
    const { usage } = this.answer;
    const { request } = this.exchange;
    if (usage === null) return null;
    if (usage !== undefined && 'raw' in usage) return usage.raw as TokenUsage;
    if (usage !== undefined) return { prompt_tokens: usage.input, completion_tokens: usage.output };
    if (request.stream_options?.include_usage !== true) return null;
    return {
      prompt_tokens: Math.ceil(JSON.stringify(request.messages).length / 4),
      completion_tokens: Math.ceil(this.chars / 4),
    };
  }

  private renamed(data: string): string {
    const { thinkingField } = this.answer;
    return thinkingField === undefined ? data : data.replace('"reasoning_content":', `"${thinkingField}":`);
  }

  private send(data: string): Promise<void> {
    return this.write(`data: ${data}${this.newline}${this.newline}`);
  }

  /** Writes in packets, and loses the connection where the script says so. */
  private async write(content: string | Uint8Array): Promise<void> {
    const { cutAfterBytes = Infinity, packetBytes = Infinity } = this.answer;
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
    const left = Math.min(bytes.length, cutAfterBytes - this.sent);
    for (let at = 0; at < left; at += packetBytes) {
      if (this.isOver) return;
      const packet = bytes.subarray(at, Math.min(left, at + packetBytes));
      this.sent += packet.length;
      const isTaken = new Promise<void>((resolve) => this.response.write(packet, () => resolve()));
      await Promise.race([isTaken, this.gone]);
      if (packetBytes < Infinity) await nextTick();
    }
    if (this.sent >= cutAfterBytes) this.lose(this.answer.cutBy ?? 'fin');
  }

  private lose(how: 'fin' | 'rst'): void {
    const { socket } = this.response;
    if (how === 'rst') socket?.resetAndDestroy();
    else socket?.destroySoon();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
