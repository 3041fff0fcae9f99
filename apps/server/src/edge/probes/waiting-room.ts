import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger, Random, Settings } from '#platform';
import { ALIVE, readinessOf, sendPlain, withoutLog } from './health-answer.js';
import { PROBLEM_JSON, problemBody } from '../problems/problem-response.js';
import { requestIdOf } from '../request-id.js';

/**
 * Answers on the service's port while the service cannot be put together because its log is not there yet: alive, not
 * ready, and why. Owns that server, which is there from the first `say` until `close`.
 */
export class WaitingRoom {
  private server: Server | null = null;
  private detail = '';

  constructor(
    private readonly settings: Pick<Settings, 'host' | 'port'>,
    private readonly random: Random,
    private readonly logger: Logger,
  ) {}

  /** What is waited for; holds no secret. */
  say(detail: string): void {
    this.detail = detail;
    this.server ??= this.open();
  }

  /** Frees the port. */
  async close(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  private open(): Server {
    const { host, port } = this.settings;
    const server = createServer((request, response) => this.answer(request, response));
    // A port that is taken is refused when the service itself wants it.
    server.on('error', (error) =>
      this.logger.warn({ err: error }, 'nothing answers while the log is waited for'),
    );
    return server.listen(port, host);
  }

  private answer({ url, method }: IncomingMessage, response: ServerResponse): void {
    const [path] = (url ?? '').split('?', 1);
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && path === '/healthz') return sendPlain(response, 200, 'application/json', ALIVE);
    if (isRead && path === '/readyz') {
      return sendPlain(response, 503, 'application/json', readinessOf(withoutLog(this.detail)));
    }
    const problem = { code: 'log_unavailable', detail: 'the service waits for its log', more: {} };
    const id = requestIdOf(this.random)({ headers: {} });
    sendPlain(response, 503, PROBLEM_JSON, problemBody(problem, 503, id));
  }
}
