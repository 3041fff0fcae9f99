import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Clock, TransientSet } from '#platform';
import { takesFile } from '../routes/operation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** While its body is waited for. */
    waitingBody: WaitingBody | null;
  }
}

interface WaitingBody {
  readonly request: FastifyRequest;
  /** Since when nothing has come that counts. */
  since: number;
  bytesRead: number;
  /** Nothing is waited for any more. */
  readonly forget: () => void;
}

/**
 * Ends requests whose body is late: a file may take as long as it keeps coming, anything else has one deadline. Node has
 * one time-out for all of a server's requests; it is the bound of the longest.
 */
export class BodyDeadlines {
  private readonly waiting = new TransientSet<WaitingBody>();

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    /** Answers 408, or cuts an answer that has begun. */
    private readonly end: (raw: IncomingMessage) => void,
  ) {}

  /** Looks at the requests of a server until it is closed. */
  watch(fastify: FastifyInstance, intervalMs: number): void {
    fastify.decorateRequest('waitingBody', null);
    fastify.addHook('onRequest', (request, _reply, done) => {
      if (hasBody(request.raw)) this.wait(request);
      done();
    });
    fastify.addHook('preHandler', (request, _reply, done) => {
      if (request.waitingBody !== null && !takesFile(request)) request.waitingBody.forget();
      done();
    });
    const timer = setInterval(() => this.look(), intervalMs).unref();
    fastify.addHook('onClose', (_instance, done) => {
      clearInterval(timer);
      done();
    });
  }

  private wait(request: FastifyRequest): void {
    const forget = (): void => {
      remove();
      request.waitingBody = null;
    };
    const waiting: WaitingBody = { request, since: this.clock.now(), bytesRead: 0, forget };
    const remove = this.waiting.add(waiting);
    request.waitingBody = waiting;
  }

  private look(): void {
    const now = this.clock.now();
    for (const waiting of this.waiting) {
      const { request } = waiting;
      const { raw } = request;
      const { bytesRead } = raw.socket;
      if (mayTakeLong(request) && bytesRead > waiting.bytesRead)
        Object.assign(waiting, { since: now, bytesRead });
      const isLate = now - waiting.since >= this.limitMs;
      if (raw.complete || raw.destroyed || isLate) waiting.forget();
      if (isLate && !raw.complete) this.end(raw);
    }
  }
}

/** A file, of somebody who may send one. */
const mayTakeLong = (request: FastifyRequest): boolean => takesFile(request) && request.principal !== null;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
