import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '#platform';
import { takesFile } from './needs-scope.js';

interface Waiting {
  readonly raw: IncomingMessage;
  /** Since when nothing has come that counts. */
  since: number;
  bytesRead: number;
}

/**
 * Ends requests whose body is late: a file may take as long as it keeps coming, anything else has one deadline. Node has
 * one time-out for all of a server's requests; it is the bound of the longest.
 */
export class BodyDeadlines {
  private readonly waiting = new Map<FastifyRequest, Waiting>();

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    /** Answers 408, or cuts an answer that has begun. */
    private readonly end: (raw: IncomingMessage) => void,
  ) {}

  /** Looks at the requests of a server until it is closed. */
  watch(fastify: FastifyInstance, intervalMs: number): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      if (hasBody(request.raw))
        this.waiting.set(request, { raw: request.raw, since: this.clock.now(), bytesRead: 0 });
      done();
    });
    fastify.addHook('preHandler', (request, _reply, done) => {
      if (!takesFile(request)) this.waiting.delete(request);
      done();
    });
    const timer = setInterval(() => this.look(), intervalMs).unref();
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(timer);
      done();
    });
  }

  private look(): void {
    const now = this.clock.now();
    for (const [request, waiting] of this.waiting) {
      const { raw } = waiting;
      const { bytesRead } = raw.socket;
      if (mayTakeLong(request) && bytesRead > waiting.bytesRead)
        Object.assign(waiting, { since: now, bytesRead });
      const isLate = now - waiting.since >= this.limitMs;
      if (raw.complete || raw.destroyed || isLate) this.waiting.delete(request);
      if (isLate && !raw.complete) this.end(raw);
    }
  }
}

/** A file, of somebody who may send one. */
const mayTakeLong = (request: FastifyRequest): boolean => takesFile(request) && request.principal !== null;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
