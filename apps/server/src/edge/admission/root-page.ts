import type { FastifyReply, FastifyRequest } from 'fastify';

/** Where somebody with a browser wants to be; relative, so that it holds behind a proxy that adds a prefix. */
const PAGE = 'docs';
const SEE_OTHER = 303;

/** Whether a browser asks for the service itself: `GET /` that names `text/html`. Anything else there is no path. */
export const isBrowserAtRoot = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  url.split('?', 1)[0] === '/' &&
  /(?:^|,)\s*text\/html\s*(?:;|,|$)/i.test(headers.accept ?? '');

export function leadToPage(reply: FastifyReply): void {
  void reply.header('vary', reply.hasHeader('vary') ? 'Origin, Accept' : 'Accept').redirect(PAGE, SEE_OTHER);
}
