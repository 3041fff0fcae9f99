import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Problem } from '#domain';
import type { Random } from '#platform';
import { Connections } from '../connections/connections.js';
import { ALIVE, readinessOf, sendPlain, withoutLog } from './health-answer.js';
import type { Check } from './health-checks.js';
import { PROBLEM_JSON, STATUS, problemBody } from '../problems/problem-response.js';
import { requestIdOf } from '../request-id.js';

const JSON_TYPE = 'application/json';
/** A probe is one request on a connection of its own. */
const MAX_CONNECTIONS = 64;
const REQUEST_MS = 5_000;
const NO_PATH = new Problem('not_found', 'this port answers /healthz and /readyz alone');

/**
 * `/healthz` and `/readyz` on a port of their own (`PROBE_PORT`), so that whatever is done to the service's port, a probe
 * gets its answer; from before the log is opened until the process ends. Owns that server.
 */
export class ProbeServer {
  private readonly server: Server;
  private check: () => Promise<readonly Check[]> = () => Promise.resolve(withoutLog('is being opened'));

  private constructor(private readonly random: Random) {
    const times = {
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1_000,
    };
    this.server = createServer(times, (request, response) => void this.answer(request, response));
    new Connections({
      max: MAX_CONNECTIONS,
      maxPerAddress: MAX_CONNECTIONS,
      graceMs: 0,
      refuse: (socket) => socket.destroy(),
    }).watch(this.server);
  }

  /** @throws the system's error where the port cannot be listened on */
  static async open(
    at: { readonly host: string; readonly port: number },
    random: Random,
  ): Promise<ProbeServer> {
    const probes = new ProbeServer(random);
    await new Promise<void>((resolve, reject) => {
      probes.server.once('error', reject).listen(at.port, at.host, () => {
        probes.server.off('error', reject);
        resolve();
      });
    });
    return probes;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The log is not there yet, and why; holds no secret. */
  waits(detail: string): void {
    this.check = () => Promise.resolve(withoutLog(detail));
  }

  /** From now on these are asked. */
  ask(check: () => Promise<readonly Check[]>): void {
    this.check = check;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer({ url, method }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (url ?? '').split('?', 1);
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && path === '/healthz') return sendPlain(response, 200, JSON_TYPE, ALIVE);
    if (isRead && path === '/readyz') return this.sendReadiness(response);
    const status = STATUS[NO_PATH.code];
    const id = requestIdOf(this.random)({ headers: {} });
    sendPlain(response, status, PROBLEM_JSON, problemBody(NO_PATH, status, id));
  }

  private async sendReadiness(response: ServerResponse): Promise<void> {
    const readiness = readinessOf(await this.check());
    sendPlain(response, readiness.status === 'ok' ? 200 : 503, JSON_TYPE, readiness);
  }
}
