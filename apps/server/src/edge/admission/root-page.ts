import type { FastifyReply, FastifyRequest } from 'fastify';

const SEE_OTHER = 303;

/** Whether a browser asks for the service itself: `GET /` that names `text/html`. Anything else there is no path. */
export const isBrowserAtRoot = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  url.split('?', 1)[0] === '/' &&
  /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(headers.accept ?? '');

/** @param page where somebody with a browser wants to be; relative, so that it holds behind a proxy that adds a prefix */
export function leadToPage(reply: FastifyReply, page: string): void {
  void reply.header('vary', reply.hasHeader('vary') ? 'Origin, Accept' : 'Accept').redirect(page, SEE_OTHER);
}
