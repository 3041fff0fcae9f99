import type { IncomingHttpHeaders } from 'node:http';
import {
  answerTo,
  BadRequest,
  type ChatExchange,
  type ChatRequest,
  type ChatServer,
  piecesOf,
  refuse,
  startChatServer,
} from '#demo-model';
import type { ScriptedTurn } from './scripted-turn.js';
import { ScriptedWriter } from './scripted-writer.js';
import { PATIENCE_MS } from './until.js';

export * from './scripted-turn.js';

/** Turns in their order, or a function that is asked for each request (`n` counts from 0, over the life of the model). */
export type Script =
  readonly ScriptedTurn[] | ((request: ChatRequest, n: number) => ScriptedTurn | Promise<ScriptedTurn>);

export interface RecordedRequest {
  readonly body: ChatRequest;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since 1970, when it came. */
  readonly at: number;
  /** The client's port: tells connections apart. */
  readonly connection: number;
  /** `open` while it is answered; `aborted`: the client went away first; `lost`: the script lost the connection. */
  outcome: 'open' | 'answered' | 'aborted' | 'lost';
}

/**
 * A model that says what the test wants, over real HTTP, with every fault that a network has. Without a script it answers
 * as the demo model does, without pauses; a queue of turns that has run out answers 400, so that a test sees it.
 */
export class ScriptedModel {
  /** Every request that could be read, in the order of arrival. */
  readonly requests: RecordedRequest[] = [];
  /** The most requests that were open at the same time. */
  maxConcurrent = 0;
  private server: ChatServer | undefined;
  private current: Script | undefined;
  private queueAt = 0;
  private readonly waiters = new Set<() => void>();

  constructor(script?: Script) {
    this.current = script;
  }

  /** What belongs into OPENAI_BASE_URL. */
  get url(): string {
    if (this.server === undefined) throw new Error('the scripted model is not started');
    return this.server.url;
  }

  get concurrent(): number {
    return this.count('open');
  }

  get aborted(): number {
    return this.count('aborted');
  }

  async start(port = 0): Promise<this> {
    this.server = await startChatServer({
      port,
      models: ['scripted'],
      answer: (exchange) => this.answer(exchange),
    });
    return this;
  }

  /** Replaces the script; requests that are being answered go on by the old one. */
  script(script: Script): void {
    this.current = script;
    this.queueAt = 0;
  }

  /** Resolves when `n` requests have come since the start. */
  requested(n: number): Promise<void> {
    return this.until(`${n} requests`, () => this.requests.length >= n);
  }

  /** Resolves when `isTrue`, which is looked at whenever a request comes or ends. */
  async until(what: string, isTrue: () => boolean): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!isTrue()) {
      if (late.aborted) throw new Error(`the scripted model waited ${PATIENCE_MS} ms for ${what}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.waiters.delete(wake);
          late.removeEventListener('abort', wake);
          resolve();
        };
        this.waiters.add(wake);
        late.addEventListener('abort', wake, { once: true });
      });
    }
  }

  async close(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }

  private count(outcome: RecordedRequest['outcome']): number {
    return this.requests.filter((request) => request.outcome === outcome).length;
  }

  private changed(): void {
    for (const wake of this.waiters) wake();
  }

  private async answer(exchange: ChatExchange): Promise<void> {
    const n = this.requests.length;
    const { request, incoming, response } = exchange;
    const record: RecordedRequest = {
      body: request,
      headers: incoming.headers,
      at: Date.now(),
      connection: incoming.socket.remotePort ?? 0,
      outcome: 'open',
    };
    this.requests.push(record);
    this.maxConcurrent = Math.max(this.maxConcurrent, this.concurrent);
    let isOurs = false;
    response.once('close', () => {
      if (response.writableFinished) record.outcome = 'answered';
      else record.outcome = isOurs ? 'lost' : 'aborted';
      this.changed();
    });
    this.changed();
    const turn = await this.turnFor(request, n).catch((error: unknown) => refuse(response, error));
    if (turn === undefined) return;
    isOurs = turn.kind === 'reset' || losesConnection(turn);
    await this.play(exchange, turn, n);
  }

  private async turnFor(request: ChatRequest, n: number): Promise<ScriptedTurn> {
    const script = this.current;
    if (script === undefined) return { steps: piecesOf(answerTo(request), request) };
    if (typeof script === 'function') return script(request, n);
    const turn = script[this.queueAt++];
    if (turn === undefined) throw new BadRequest(`the script of ${script.length} turns has run out`);
    return turn;
  }

  private async play(exchange: ChatExchange, turn: ScriptedTurn, n: number): Promise<void> {
    const { response, gone } = exchange;
    switch (turn.kind) {
      case 'reset':
        response.socket?.resetAndDestroy();
        return;
      case 'hang':
        return;
      case 'status': {
        const { status, body = '', headers } = turn;
        const isJson = typeof body === 'object';
        response.writeHead(status, {
          'content-type': isJson ? 'application/json' : 'text/plain',
          ...headers,
        });
        response.end(isJson ? JSON.stringify(body) : body);
        return;
      }
      default:
        if (!gone.aborted) await new ScriptedWriter(exchange, turn, `chatcmpl-scripted-${n}`).play();
    }
  }
}

export const startScriptedModel = (script?: Script, port = 0): Promise<ScriptedModel> =>
  new ScriptedModel(script).start(port);

const losesConnection = (turn: ScriptedTurn): boolean =>
  'steps' in turn &&
  (turn.cutAfterBytes !== undefined ||
    turn.steps.some((step) => typeof step === 'object' && (step.kind === 'reset' || step.kind === 'cut')));
