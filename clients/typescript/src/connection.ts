import { Deadline } from './deadline.js';
import { AnnalsRefused, ConnectionLost } from './errors.js';
import { Patience } from './patience.js';
import type { Problem } from './types.js';

export interface AnnalsOptions {
  /** Where the service is, e.g. `https://annals.example.com`. */
  readonly url: string;
  /** An API key or a token. A function is asked before each request: tokens of browsers end after an hour at most. */
  readonly key: string | (() => string | Promise<string>);
  /** In place of the platform's. */
  readonly fetch?: typeof fetch;
  /** How long it is tried again while there is no answer. Default: two minutes. */
  readonly patienceMs?: number;
  /** A connection that says nothing for so long is dead: on a stream the service sends a comment every 10 s. Default: 30 s. */
  readonly quietMs?: number;
}

export interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Requests to one service. */
export class Connection {
  readonly patienceMs: number;
  readonly quietMs: number;
  private readonly fetch: typeof fetch;

  constructor(private readonly options: AnnalsOptions) {
    this.patienceMs = options.patienceMs ?? 120_000;
    this.quietMs = options.quietMs ?? 30_000;
    // Called as a function: browsers refuse a `fetch` whose `this` is another object.
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /**
   * The answer's JSON, however often it has to be asked: only for requests that may be repeated.
   * @throws AnnalsRefused, AnnalsUnreachable; the signal's reason
   */
  async json<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const patience = new Patience(this.patienceMs, call.signal);
    const headers = { accept: JSON_TYPE, ...call.headers };
    for (;;) {
      const deadline = new Deadline(this.quietMs, call.signal);
      try {
        const answer = await this.once(method, path, { ...call, headers, signal: deadline.signal });
        return (await whole(answer)) as T;
      } catch (error) {
        await patience.wait(error);
      } finally {
        deadline.close();
      }
    }
  }

  /** One attempt. @throws ConnectionLost, AnnalsRefused */
  async once(method: string, path: string, { body, headers, signal }: Call): Promise<Response> {
    const { key, url } = this.options;
    const authorization = `Bearer ${typeof key === 'function' ? await key() : key}`;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'content-type': JSON_TYPE };
    const init = {
      method,
      headers: { authorization, ...type, ...headers },
      ...sent,
      ...(signal ? { signal } : {}),
    };
    const address = `${url.replace(/\/+$/, '')}${path}`;
    assertSendable(address, init.headers);
    const answer = await this.fetch(address, init).catch(lost);
    if (answer.ok) return answer;
    throw new AnnalsRefused(answer.status, await problemOf(answer), retryAfterMs(answer));
  }
}

const JSON_TYPE = 'application/json';

/**
 * `fetch` tells of an address or a header that is none as it tells of a lost connection; trying again mends neither.
 * @throws TypeError
 */
function assertSendable(address: string, headers: Readonly<Record<string, string>>): void {
  const { url } = new Request(address, { headers });
  if (!/^https?:/.test(url))
    throw new TypeError(`the address does not begin with http:// or https://: ${url}`);
}

const whole = (answer: Response): Promise<unknown> =>
  answer.status === 204
    ? Promise.resolve(undefined)
    : answer
        .text()
        .catch(lost)
        .then((text) => JSON.parse(text));

function lost(cause: unknown): never {
  throw new ConnectionLost('the connection was lost', { cause });
}

/** @throws ConnectionLost where it is cut: a problem that is not whole says nothing. */
async function problemOf(answer: Response): Promise<Problem | null> {
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json') === true;
  const text = await answer.text().catch((cause: unknown) => (isProblem ? lost(cause) : ''));
  return isProblem ? (JSON.parse(text) as Problem) : null;
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(answer: Response): number | null {
  const value = answer.headers.get('retry-after');
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
