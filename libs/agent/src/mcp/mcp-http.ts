import { Agent } from 'undici';
import type { Clock, EgressGuard } from '#platform';
import { HttpExchange, type HttpRequest } from './http-exchange.js';
import type { McpLimits } from './limits.js';
import { McpFailure } from './mcp-failure.js';
import { type McpServerConfig, basicCredentials } from './mcp-server-config.js';
import { raceAbort } from './race-abort.js';
import { isRecord } from './rpc-message.js';

const maxRedirects = 3;
/** Longer than a server on this machine takes from the last event of a stream to its end. */
const leavingMs = 2;
const maxErrorBytes = 64 * 1024;
const maxSaidChars = 500;

export interface McpHttpPorts {
  readonly egress: EgressGuard;
  readonly clock: Clock;
  readonly limits: McpLimits;
}

/**
 * HTTP to one server, with the caller's credentials. Owns its connections: each goes to an address that the egress guard
 * has just looked at, and none outlives the run. A redirect is followed within the server's own origin only.
 */
export class McpHttp {
  readonly url: URL;
  private readonly agent: Agent;
  private readonly headers: Readonly<Record<string, string>>;
  /** The exchanges under way, and when the connection of each is free. */
  private readonly freeing = new Map<HttpExchange, Promise<void>>();
  private isChecked = false;

  constructor(
    config: McpServerConfig,
    private readonly ports: McpHttpPorts,
  ) {
    this.url = new URL(config.serverUrl);
    const authorization = authorizationOf(config, this.url);
    // Some front doors refuse whoever does not say what it is.
    this.headers = { 'user-agent': 'annals', ...(authorization === null ? {} : { authorization }) };
    this.url.username = '';
    this.url.password = '';
    this.url.hash = '';
    this.agent = new Agent({
      allowH2: false,
      // The caller has the time limits: a call may be silent for long.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: ports.egress.lookup, timeout: ports.limits.openMs },
    });
  }

  /**
   * The answer, whatever its status, when its headers are here.
   * @throws McpFailure also when the signal is aborted
   */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpExchange> {
    if (!this.isChecked) await raceAbort(this.requireAllowed(), signal, unwanted);
    await this.leaving();
    let { url } = request;
    for (let followed = 0; ; followed++) {
      const answer = await this.exchange({ ...request, url }, signal);
      const target = redirectOf(answer, url);
      if (target === null) return answer;
      answer.release();
      if (followed === maxRedirects || target.origin !== url.origin) {
        throw new McpFailure('refused', 'redirects to another place, which is not followed', answer.status);
      }
      url = target;
    }
  }

  destroy(): Promise<void> {
    return this.agent.destroy();
  }

  private async exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpExchange> {
    const { clock, limits } = this.ports;
    // A stream that stands open brings as much as it brings; each of its events has a limit.
    const exchange = new HttpExchange(clock, request.method === 'GET' ? Infinity : limits.maxStreamBytes);
    if (signal.aborted) throw unwanted();
    const stop = () => exchange.abort(new McpFailure('lost', 'is not waited for any longer'));
    signal.addEventListener('abort', stop, { once: true });
    const freed = exchange.over.then(async () => {
      signal.removeEventListener('abort', stop);
      await nextLoop();
      this.freeing.delete(exchange);
    });
    this.freeing.set(exchange, freed);
    await exchange.send(this.agent, { ...request, headers: { ...request.headers, ...this.headers } });
    return exchange;
  }

  /**
   * The end of a stream comes just behind the answer that it brought, and undici has a connection rest for one loop. Whoever
   * asks before that would need another connection, which costs more than the request. Real time, even where the run's is
   * not: it is the wire that is waited for.
   */
  private async leaving(): Promise<void> {
    const leaving = [...this.freeing].filter(([exchange]) => exchange.isLeaving).map(([, freed]) => freed);
    if (leaving.length === 0) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, leavingMs);
    await Promise.race([late.promise, ...leaving]);
    clearTimeout(timer);
  }

  /** Literal addresses never get to the connection's lookup; of names this gives the better message. */
  private async requireAllowed(): Promise<void> {
    const verdict = await this.ports.egress.checkUrl(this.url);
    if (verdict.kind === 'refused') {
      throw new McpFailure('unsent', 'is at an address that this service may not reach (see EGRESS_ALLOW)');
    }
    if (verdict.kind === 'unresolved') throw new McpFailure('unsent', 'has a name that cannot be resolved');
    this.isChecked = true;
  }
}

const unwanted = (): McpFailure => new McpFailure('unsent', 'is not wanted any more');

const nextLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What the server says with a status of no success; the beginning of it. */
export async function refusalOf(answer: HttpExchange): Promise<McpFailure> {
  const { status } = answer;
  const text = await answer.text(maxErrorBytes).catch(() => '');
  const said = saidIn(text);
  const isTransient = status === 502 || status === 503 || status === 504;
  return new McpFailure(
    isTransient ? 'lost' : 'refused',
    `answered with status ${status}${said === '' ? '' : `: ${said}`}`,
    status,
  );
}

function saidIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: unknown; message?: unknown };
    const inner = isRecord(error) ? error['message'] : error;
    const said = [inner, message].find((value) => typeof value === 'string');
    return (said ?? '').slice(0, maxSaidChars);
  } catch {
    // A page for people says nothing that the status does not.
    return /^\s*</.test(text) ? '' : text.trim().slice(0, maxSaidChars);
  }
}

/** 307 and 308 keep the method; 301 and 302 would make a GET of a POST. */
function redirectOf(answer: HttpExchange, from: URL): URL | null {
  const { status } = answer;
  if (status < 300 || status > 399) return null;
  const location = answer.header('location');
  const keepsMethod = status === 307 || status === 308;
  const isUsable = keepsMethod && location !== '' && URL.canParse(location, from.href);
  // Any other leads nowhere.
  return isUsable ? new URL(location, from) : new URL('about:blank');
}

function authorizationOf({ auth }: McpServerConfig, url: URL): string | null {
  if (auth) return `Bearer ${auth.type === 'bearer' ? auth.token : auth.oauth.accessToken}`;
  const credentials = basicCredentials(url);
  return credentials === null ? null : `Basic ${credentials}`;
}
