import OpenAI from 'openai';
import { createHash } from 'node:crypto';
import { Pool } from 'undici';
import { type Clock, type FairSemaphore, SystemClock } from '#platform';
import { ModelClient, ModelFailure, type ModelPiece, type ModelRequest, type OnBroken } from '#agent';
import { messagesOf, writeChatBody } from './chat-body.js';
import { CONNECTION, type Endpoint } from './answer-exchange.js';
import { AskedTurn } from './asked-turn.js';
import type { RequestForm } from './request-form.js';
import { searchSchemas } from './schema-search.js';
import { ServerMemory, isAboutForm, outputKey } from './server-memory.js';

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

/** A turn of which the server has said something, and that. */
interface BegunTurn {
  readonly turn: AskedTurn;
  readonly pieces: readonly ModelPiece[] | undefined;
}

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
    onBroken: OnBroken = ignored,
  ): AsyncGenerator<readonly ModelPiece[], void> {
    const giveBack = await this.options.turns?.take(request.project ?? '', signal);
    let turn: AskedTurn | undefined;
    try {
      const begun = await this.begun(request, signal, onBroken);
      ({ turn } = begun);
      for (let { pieces } = begun; pieces !== undefined; pieces = await turn.next()) {
        if (turn.whole) this.learnOfAnswer(request, turn.whole, pieces);
        yield pieces;
      }
    } finally {
      turn?.close();
      giveBack?.();
    }
  }

  /**
   * Asks, and again in another way where the server does not take it as it is. Resolves when it says something; the turn is
   * the caller's then.
   */
  private async begun(request: ModelRequest, signal: AbortSignal, onBroken: OnBroken): Promise<BegunTurn> {
    for (let asks = 0; ; asks++) {
      const form = this.memory.formOf(request);
      requireSendable(request, form);
      signal.throwIfAborted();
      const turn = this.turnOf(request, form, signal, onBroken);
      try {
        await turn.open(this.connections, this.endpointOnce());
        return { turn, pieces: await turn.next() };
      } catch (error) {
        turn.close();
        signal.throwIfAborted();
        if (asks >= maxAsks || !(error instanceof ModelFailure)) throw error;
        await this.learn(request, form, error, signal);
      }
    }
  }

  private turnOf(
    request: ModelRequest,
    form: RequestForm,
    signal: AbortSignal,
    onBroken: OnBroken = ignored,
  ): AskedTurn {
    const { clock, timeoutMs, server } = this;
    const { apiKey } = this.options;
    const { model } = request;
    const { beginsInside } = form;
    const body = writeChatBody(request, form, server);
    return new AskedTurn(body, { clock, timeoutMs, signal, onBroken, apiKey, server, model, beginsInside });
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
    const turn = this.turnOf(request, form, signal);
    try {
      await turn.open(this.connections, this.endpointOnce());
      return false;
    } catch (error) {
      signal.throwIfAborted();
      // The words for one schema are not those for another.
      if (!(error instanceof ModelFailure) || !isAboutForm(error)) throw error;
      return true;
    } finally {
      turn.close();
    }
  }

  private learnOfAnswer(
    request: ModelRequest,
    { beginsInside, hasText }: NonNullable<AskedTurn['whole']>,
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

const ignored: OnBroken = () => undefined;

/** Asking the same again is of no use, whatever the status says. */
const refusedForGood = ({ message, said }: ModelFailure): ModelFailure =>
  new ModelFailure('refused', message, said === undefined ? {} : { said });

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
