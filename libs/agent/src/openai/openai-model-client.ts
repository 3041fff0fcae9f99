import OpenAI from 'openai';
import { Pool } from 'undici';
import { type Clock, SystemClock } from '#platform';
import { ModelClient, type ModelPiece, type ModelRequest } from '../model-client.js';
import { writeChatBody } from './chat-body.js';
import { failureOfConnection, failureOfErrorObject, failureOfStatus, Nonsense } from './failures.js';
import { type Endpoint, NetworkExchange } from './network-exchange.js';
import { TurnReader } from './turn-reader.js';

export interface OpenAiModelOptions {
  /** Ends where `/chat/completions` begins, mostly in `/v1`. */
  readonly baseUrl: string;
  /** Empty for servers that want none. */
  readonly apiKey: string;
  /** To connect, and until the first piece of the answer; a model may think for long without showing it. */
  readonly firstByteTimeoutMs?: number;
  /** Between two pieces. */
  readonly idleTimeoutMs?: number;
  readonly clock?: Clock;
}

const defaultFirstByteTimeoutMs = 120_000;
const defaultIdleTimeoutMs = 60_000;
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
  private readonly firstByteMs: number;
  private readonly idleMs: number;

  constructor(private readonly options: OpenAiModelOptions) {
    super();
    this.clock = options.clock ?? new SystemClock();
    this.firstByteMs = options.firstByteTimeoutMs ?? defaultFirstByteTimeoutMs;
    this.idleMs = options.idleTimeoutMs ?? defaultIdleTimeoutMs;
    this.connections = new Pool(new URL(options.baseUrl).origin, {
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      connectTimeout: 10_000,
    });
  }

  override async *stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    signal.throwIfAborted();
    const exchange = new NetworkExchange(this.connections, this.clock, this.firstByteMs);
    const reader = new TurnReader(this.options.apiKey);
    const stop = () => exchange.abort(new Error('aborted', { cause: signal.reason }));
    signal.addEventListener('abort', stop, { once: true });
    try {
      const body = writeChatBody(request);
      await this.open(exchange, body);
      for (let isOpen = true; isOpen;) {
        let pieces: ModelPiece[] = [];
        try {
          const bytes = await exchange.next(this.patienceMs(reader));
          if (bytes !== undefined) pieces = reader.feed(bytes);
          isOpen = bytes !== undefined && !reader.isDone;
        } catch (error) {
          // A connection that breaks after the finish reason breaks no answer.
          if (!reader.isFinished) throw error;
          isOpen = false;
        }
        signal.throwIfAborted();
        if (!isOpen) pieces.push(...ending(reader, body.length));
        if (pieces.length > 0) yield pieces;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failureOfConnection(exchange.failure ?? error);
    } finally {
      signal.removeEventListener('abort', stop);
      exchange.release(reader.isDone);
    }
  }

  /** Cuts every turn that is under way. */
  async close(): Promise<void> {
    await this.connections.destroy();
  }

  private async open(exchange: NetworkExchange, body: string): Promise<void> {
    this.endpoint ??= endpointOf(this.options);
    const { status, headers } = await exchange.send(await this.endpoint, body);
    if (status >= 300)
      throw failureOfStatus(
        { status, headers, body: await exchange.text() },
        this.options.apiKey,
        this.clock.now(),
      );
    if (/json/i.test(String(headers['content-type']))) throw await this.notAStream(exchange);
  }

  /** Some servers answer 200 with an error, or take no notice of `stream`. */
  private async notAStream(exchange: NetworkExchange): Promise<Error> {
    const text = await exchange.text();
    try {
      const { error } = JSON.parse(text) as { error?: unknown };
      if (error !== undefined && error !== null) return failureOfErrorObject(error, this.options.apiKey);
    } catch (error) {
      return new Nonsense('the model server answered with broken JSON', { cause: error });
    }
    return new Nonsense('the model server answered without a stream');
  }

  private patienceMs(reader: TurnReader): number {
    if (reader.isFinished) return Math.min(usageTimeoutMs, this.idleMs);
    return reader.hasBegun ? this.idleMs : this.firstByteMs;
  }
}

/** What an answer ends with. @throws Nonsense when it was cut */
function ending(reader: TurnReader, inputChars: number): ModelPiece[] {
  if (!reader.isFinished) throw new Nonsense("the model server's answer was cut");
  return [...reader.rest(), reader.end(inputChars)];
}

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
  const { pathname, search } = new URL(url);
  return { path: pathname + search, headers: [...req.headers].flat() };
}
