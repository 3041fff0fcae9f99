import { type Clock, type EgressGuard } from '#platform';
import { GuardedConnections, HttpExchange, type HttpRequest } from '#http';
import type { McpLimits } from './limits.js';
import { McpFailure, failureOfHttp } from './mcp-failure.js';
import type { McpServerConfig } from '#agent';
import { basicCredentials } from './url-credentials.js';
import { isRecord, rpcErrorIn } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';

const maxRedirects = 3;
/** Longer than a server on this machine takes from the last event of a stream to its end. */
const leavingMs = 2;
const maxErrorBytes = 64 * 1024;
const maxSaidChars = 500;

interface McpRequest extends HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** A stream that stands open brings as much as it brings; each of its events has a limit. */
  readonly isEndless?: boolean;
}

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
  private readonly connections: GuardedConnections;
  private readonly headers: Readonly<Record<string, string>>;
  /** The exchanges under way, and when the connection of each is free. */
  private readonly freeing = new Map<HttpExchange, Promise<void>>();

  constructor(
    config: McpServerConfig,
    private readonly ports: McpHttpPorts,
    private readonly mask: SecretMask,
  ) {
    this.url = new URL(config.serverUrl);
    const authorization = authorizationOf(config, this.url);
    // Some front doors refuse whoever does not say what it is.
    this.headers = { 'user-agent': 'annals', ...(authorization === null ? {} : { authorization }) };
    this.url.username = '';
    this.url.password = '';
    this.url.hash = '';
    const { egress, clock, limits } = ports;
    // For as long as the run lasts: a server that was reached once is not looked up before every call.
    this.connections = new GuardedConnections({
      egress,
      clock,
      connectMs: limits.openMs,
      checkHoldsMs: Infinity,
    });
  }

  /**
   * The answer, whatever its status, when its headers are here.
   * @throws McpFailure also when the signal is aborted
   */
  async send(request: McpRequest, signal: AbortSignal): Promise<HttpExchange> {
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

  /** What the server says with a status of no success; the beginning of it. */
  async refusalOf(answer: HttpExchange): Promise<McpFailure> {
    const { status } = answer;
    const text = await answer.text(maxErrorBytes).catch(() => '');
    const body = parsed(text);
    // Masked before it is cut: half a secret would not be seen as one.
    const said = this.mask.cleanError(saidIn(text, body), maxSaidChars);
    const isTransient = status === 502 || status === 503 || status === 504;
    return new McpFailure(
      isTransient ? 'lost' : 'refused',
      `answered with status ${status}${said === '' ? '' : `: ${said}`}`,
      status,
      isRecord(body) ? rpcErrorIn(body) : undefined,
    );
  }

  destroy(): Promise<void> {
    return this.connections.destroy();
  }

  private async exchange(request: McpRequest, signal: AbortSignal): Promise<HttpExchange> {
    const { clock, limits } = this.ports;
    const isEndless = request.isEndless ?? request.method === 'GET';
    const maxBytes = isEndless ? Infinity : limits.maxStreamBytes;
    const exchange = new HttpExchange({ clock, signal, maxBytes, explain: failureOfHttp });
    const freed = exchange.over.then(async () => {
      await nextLoop();
      this.freeing.delete(exchange);
    });
    this.freeing.set(exchange, freed);
    await this.connections.send(exchange, { ...request, headers: { ...request.headers, ...this.headers } });
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
}

const nextLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function saidIn(text: string, body: unknown): string {
  // A page for people says nothing that the status does not.
  if (body === undefined) return /^\s*</.test(text) ? '' : text.trim();
  if (!isRecord(body)) return '';
  const { error, message } = body;
  const inner = isRecord(error) ? error['message'] : error;
  const said = [inner, message].find((value) => typeof value === 'string');
  return said ?? '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
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
