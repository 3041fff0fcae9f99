import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import { LENGTHS } from '../validation/lengths.js';
import { refuseBody, refuseQuery } from '../validation/nothing.js';
import { parseJson } from './json-body.js';
import { takesFile, termsOf } from '../routes/operation.js';

/**
 * JSON, strictly, and nothing else; no body at all is `undefined`, whatever type it claims to have. A route that takes a
 * file gets the bare stream of a multipart body, which has a limit of its own.
 */
export function addBodyParsers(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      if (takesFile(request)) throw NOT_MULTIPART;
      refuseEncodings(request);
      done(null, bytes.length === 0 ? undefined : parseJson(bytes, keepsNumbers(request)));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addContentTypeParser('multipart/form-data', (request, payload, done) => {
    const isEncoded = (request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
    if (takesFile(request)) done(isEncoded ? ENCODED : null, payload);
    else done(NOT_JSON);
  });
  fastify.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') done(null);
    else done(takesFile(request) ? NOT_MULTIPART : NOT_JSON);
  });
}

const keepsNumbers = ({ routeOptions }: FastifyRequest): boolean =>
  termsOf(routeOptions.config)?.keepsNumbers === true;

/** A field or a parameter of a route that takes none is a mistake of the caller. @throws Problem */
export function refuseUnwanted({ body, query, routeOptions }: FastifyRequest): void {
  const terms = termsOf(routeOptions.config);
  if (terms === null) return;
  if (terms.body === undefined && terms.form === undefined && terms.message === undefined) refuseBody(body);
  if (terms.query === undefined && !terms.ignoresQuery && !terms.isForeign) refuseQuery(query);
}

/** No id is as long as a path can be: whoever looks for it finds nothing in its beginning either, and answers in its turn. */
export function shortenIds({ params }: FastifyRequest): void {
  const ids = (params ?? {}) as Record<string, string>;
  for (const [name, id] of Object.entries(ids))
    if (id.length > LENGTHS.name) ids[name] = id.slice(0, LENGTHS.name + 1).toWellFormed();
}

const NOT_MULTIPART = new Problem('unsupported_media_type', 'send the file as multipart/form-data');
const NOT_JSON = new Problem('unsupported_media_type', 'send the body as application/json');
const NOT_UTF8 = new Problem('unsupported_media_type', 'send the body in UTF-8');
const ENCODED = new Problem('unsupported_media_type', 'send the body without a content encoding');

function refuseEncodings({ headers }: FastifyRequest): void {
  const type = headers['content-type'] ?? '';
  const charset = type.length > PLAIN ? /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] : undefined;
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw NOT_UTF8;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw ENCODED;
}

const PLAIN = 'application/json'.length;
