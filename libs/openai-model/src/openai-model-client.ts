import OpenAI from 'openai';
import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import { type Clock, type FairSemaphore, SystemClock } from '#platform';
import { ModelClient, ModelFailure, type ModelPiece, type ModelRequest, type OnBroken } from '#agent';
import { messagesOf, writeChatBody } from './chat-body.js';
import { failureOfConnection, failureOfStatus } from './failures.js';
import { AnswerExchange, CONNECTION, type Endpoint } from './answer-exchange.js';
import type { RequestForm } from './request-form.js';
import { searchSchemas } from './schema-search.js';
import { ServerMemory, isAboutForm, outputKey } from './server-memory.js';
import { TurnReader } from './turn-reader.js';

export interface OpenAiModelOptions {
  /** Ends where `/chat/completions` begins, mostly in `/v1`. */
  readonly baseUrl: string;
  /** Empty for servers that want none. */
  readonly apiKey: string;
  /** How long a call may send nothing, its head included; a model may think for long without showing it. */
  readonly timeoutMs?: number;
  /** Calls to the server at a time: the others wait here, without a clock of their own. Absent: there is no limit. */
  readonly turns?: FairSemaphore;
  readonly clock?: Clock;
}

const defaultTimeoutMs = 120_000;
/** Ways in which one turn is asked for; each refusal is avoided once, so there are fewer. */
const maxAsks = 30;
/** After the end of an answer its usage follows at once, or never. */
const usageTimeoutMs = 5_000;

/**
 * Any server that speaks OpenAI's Chat Completions. The openai package says once where a turn is asked for and with which
 * headers, for they are the same every time; the bytes go through an HttpExchange, and the answer is read from it. Of a
 * turn of 50 tokens this costs about 0.15 ms of CPU; the package's own requests 0.2, with its fetch and stream 0.5 to 1.5.
 */
export class OpenAiModelClient extends ModelClient {
  private readonly connections: Pool;
  private endpoint: Promise<Endpoint> | null = null;
  private readonly clock: Clock;
  private readonly timeoutMs: number;
  private readonly server: string;
  private readonly memory = new ServerMemory();

  constructor(private readonly options: OpenAiModelOptions) {
    super();
    this.clock = options.clock ?? new SystemClock();
    this.timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.server = createHash('sha256').update(options.baseUrl).digest('hex').slice(0, 16);
    this.connections = new Pool(new URL(options.baseUrl).origin, CONNECTION);
  }

  override async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    onBroken: OnBroken = () => undefined,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    const giveBack = await this.options.turns?.take(request.project ?? '', signal);
    try {
      yield* this.untilTaken(request, signal, onBroken);
    } finally {
      giveBack?.();
    }
  }

  /** Asks, and again in another way where the server does not take it as it is. */
  private async *untilTaken(
    request: ModelRequest,
    signal: AbortSignal,
    onBroken: OnBroken,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    for (let asks = 0; ; asks++) {
      const form = this.memory.formOf(request);
      requireSendable(request, form);
      let hasBegun = false;
      try {
        for await (const pieces of this.ask(request, form, signal, onBroken)) {
          hasBegun = true;
          yield pieces;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (hasBegun || asks >= maxAsks || !(error instanceof ModelFailure)) throw error;
        await this.learn(request, form, error, signal);
      }
    }
  }

  /** Returns where it is worth asking again, in the form that is known then. @throws the failure, otherwise */
  private async learn(
    request: ModelRequest,
    form: RequestForm,
    failure: ModelFailure,
    signal: AbortSignal,
  ): Promise<void> {
    const messages = messagesOf(request, form, this.server);
    switch (this.memory.learn(request, form, messages, failure)) {
      case 'again':
        return;
      case 'search': {
        const change = await searchSchemas(request, form, (other) => this.refuses(request, other, signal));
        if (change === null) throw failure;
        return this.memory.change(request, change);
      }
      case 'refused_output':
        throw refusedForGood(failure);
      case 'nothing':
        throw failure;
    }
  }

  /** Whether the server refuses a request for a schema of its. An answer is not waited for. */
  private async refuses(request: ModelRequest, form: RequestForm, signal: AbortSignal): Promise<boolean> {
    const answer = new AnswerExchange({ clock: this.clock, timeoutMs: this.timeoutMs, signal });
    try {
      await this.open(answer, await this.endpointOnce(), writeChatBody(request, form, this.server).json);
      return false;
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOfConnection(answer.failure ?? error);
      // The words for one schema are not those for another.
      if (!isAboutForm(failure)) throw failure;
      return true;
    } finally {
      answer.release(false);
    }
  }

  private async *ask(
    request: ModelRequest,
    form: RequestForm,
    signal: AbortSignal,
    onBroken: OnBroken,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    signal.throwIfAborted();
    const { json, chars, leftOut, unseen } = writeChatBody(request, form, this.server);
    const { apiKey } = this.options;
    const { model } = request;
    const reader = new TurnReader({ apiKey, server: this.server, model, beginsInside: form.beginsInside });
    const answer = new AnswerExchange({ clock: this.clock, timeoutMs: this.timeoutMs, signal });
    let isWhole = false;
    let isTold = false;
    try {
      await this.open(answer, await this.endpointOnce(), json);
      for (let isOpen = true; isOpen;) {
        let pieces: ModelPiece[] = [];
        try {
          const patience = reader.isFinished ? Math.min(usageTimeoutMs, this.timeoutMs) : this.timeoutMs;
          const bytes = await answer.next(patience);
          if (bytes === undefined) reader.close();
          pieces = reader.feed(bytes ?? NONE);
          isOpen = bytes !== undefined && !reader.isDone;
        } catch (error) {
          // A connection that breaks after the finish reason breaks no answer.
          if (!reader.isFinished) throw error;
          isOpen = false;
        }
        signal.throwIfAborted();
        if (!isOpen) {
          pieces.push(...reader.end(chars).map((piece) => withUnseen(piece, unseen)));
          isWhole = true;
          this.learnOfAnswer(request, reader, pieces);
        }
        if (pieces.length === 0) continue;
        yield leftOut.length > 0 && !isTold ? [{ kind: 'left_out', tools: leftOut }, ...pieces] : pieces;
        isTold = true;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failureOfConnection(answer.failure ?? error);
    } finally {
      const used = isWhole ? null : reader.used(chars);
      if (used !== null) onBroken(used);
      answer.release(reader.isDone);
    }
  }

  private learnOfAnswer(
    request: ModelRequest,
    { beginsInside, hasText }: TurnReader,
    pieces: readonly ModelPiece[],
  ): void {
    const { forcedTool } = request;
    if (beginsInside !== undefined) this.memory.change(request, { beginsInside });
    const end = pieces.at(-1);
    if (forcedTool === undefined || end?.kind !== 'end' || (end.finishReason === 'length' && !hasText))
      return;
    // A server that does not know the object for it takes no notice.
    if (!end.toolCalls.some(({ name }) => name === forcedTool))
      this.memory.change(request, { isRequired: true });
  }

  private endpointOnce(): Promise<Endpoint> {
    return (this.endpoint ??= endpointOf(this.options));
  }

  /** Cuts every turn that is under way. */
  async close(): Promise<void> {
    await this.connections.destroy();
  }

  /** @throws what the server refused it with */
  private async open(answer: AnswerExchange, endpoint: Endpoint, body: string): Promise<void> {
    const head = await answer.send(this.connections, endpoint, body);
    if (head.status < 300) return;
    const refusal = { ...head, body: await answer.text() };
    throw failureOfStatus(refusal, this.options.apiKey, this.clock.now());
  }
}

/** @throws ModelFailure for what has to be asked for in another way: it is left out here, or was refused before */
function requireSendable(request: ModelRequest, { omit, refused }: RequestForm): void {
  const key = outputKey(request);
  if (key === null) return;
  const name = request.responseFormat === undefined ? 'tool_choice' : 'response_format';
  if (omit.has(name)) throw new ModelFailure('refused', `${name} is not sent to this model`);
  if (refused.has(key))
    throw new ModelFailure('refused', `the model server has refused ${name} with this schema before`);
}

/** Asking the same again is of no use, whatever the status says. */
const refusedForGood = ({ message, said }: ModelFailure): ModelFailure =>
  new ModelFailure('refused', message, said === undefined ? {} : { said });

const withUnseen = (piece: ModelPiece, unseen: readonly string[]): ModelPiece =>
  piece.kind !== 'end' || unseen.length === 0 ? piece : { ...piece, unseen };

const NONE = Buffer.alloc(0);

async function endpointOf({ baseUrl, apiKey }: OpenAiModelOptions): Promise<Endpoint> {
  const openai = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey || 'none',
    adminAPIKey: null,
    // It prints nothing, whatever OPENAI_LOG says.
    logLevel: 'off',
  });
  const { url, req } = await openai.buildRequest({
    method: 'post',
    path: '/chat/completions',
    body: {},
    stream: true,
  });
  const headers = [...req.headers].filter(([name]) => name.toLowerCase() !== 'accept-encoding');
  return { url: new URL(url), headers: [...headers, ['accept-encoding', 'identity']].flat() };
}
