import OpenAI from 'openai';
import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import { type Clock, type FairTurns, SystemClock } from '#platform';
import { ModelClient, ModelFailure, type ModelPiece, type ModelRequest } from '../model-client.js';
import { writeChatBody } from './chat-body.js';
import { failureOfConnection, failureOfStatus } from './failures.js';
import { AnswerExchange, CONNECTION } from './answer-exchange.js';
import type { Endpoint } from './network-exchange.js';
import { type RequestForm, ServerMemory } from './server-memory.js';
import { TurnReader } from './turn-reader.js';

export interface OpenAiModelOptions {
  /** Ends where `/chat/completions` begins, mostly in `/v1`. */
  readonly baseUrl: string;
  /** Empty for servers that want none. */
  readonly apiKey: string;
  /** How long a call may send nothing, its head included; a model may think for long without showing it. */
  readonly timeoutMs?: number;
  /** Calls to the server at a time: the others wait here, without a clock of their own. Absent: there is no limit. */
  readonly turns?: FairTurns;
  readonly clock?: Clock;
}

const defaultTimeoutMs = 120_000;
/** After the end of an answer its usage follows at once, or never. */
const usageTimeoutMs = 5_000;

/**
 * Any server that speaks OpenAI's Chat Completions. The openai package says once where a turn is asked for and with which
 * headers, for they are the same every time; the bytes go through a NetworkExchange, and the answer is read from it. Of a
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
  ): AsyncGenerator<readonly ModelPiece[], void> {
    const giveBack = await this.options.turns?.take(request.project ?? '', signal);
    try {
      yield* this.untilTaken(request, signal);
    } finally {
      giveBack?.();
    }
  }

  /** Asks, and again in another way where the server does not take it as it is. */
  private async *untilTaken(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    for (;;) {
      const form = this.memory.formOf(request);
      requireSendable(request, form);
      let hasBegun = false;
      try {
        for await (const pieces of this.ask(request, form, signal)) {
          hasBegun = true;
          yield pieces;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        // Each refusal is avoided once, so this ends.
        if (hasBegun || !(error instanceof ModelFailure) || !this.memory.learn(request, form, error))
          throw error;
      }
    }
  }

  private async *ask(
    request: ModelRequest,
    form: RequestForm,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    signal.throwIfAborted();
    const body = writeChatBody(request, form, this.server);
    const { apiKey } = this.options;
    const { model } = request;
    const reader = new TurnReader({ apiKey, server: this.server, model, beginsInside: form.beginsInside });
    const answer = new AnswerExchange({ clock: this.clock, timeoutMs: this.timeoutMs, signal });
    try {
      this.endpoint ??= endpointOf(this.options);
      await this.open(answer, await this.endpoint, body);
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
        if (!isOpen) pieces.push(...reader.end(body.length));
        const { beginsInside } = reader;
        if (!isOpen && beginsInside !== undefined) this.memory.change(model, { beginsInside });
        if (pieces.length > 0) yield pieces;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failureOfConnection(answer.failure ?? error);
    } finally {
      answer.release(reader.isDone);
    }
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

/** @throws ModelFailure for what is asked for in another way where this parameter is left out */
function requireSendable({ responseFormat, forcedTool }: ModelRequest, { omit }: RequestForm): void {
  const left =
    responseFormat !== undefined && omit.has('response_format')
      ? 'response_format'
      : forcedTool !== undefined && omit.has('tool_choice')
        ? 'tool_choice'
        : null;
  if (left !== null) throw new ModelFailure('refused', `${left} is not sent to this model`);
}

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
  const { origin, pathname, search } = new URL(url);
  const headers = [...req.headers].filter(([name]) => name.toLowerCase() !== 'accept-encoding');
  return { origin, path: pathname + search, headers: [...headers, ['accept-encoding', 'identity']].flat() };
}
