import type { IncomingMessage } from 'node:http';
import type { Random } from '#platform';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's `x-request-id` if it can be logged as it is, otherwise a new one. */
export const requestIdOf =
  (random: Random) =>
  (request: Pick<IncomingMessage, 'headers'>): string => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && SANE.test(given) ? given : `req_${random.hex(12)}`;
  };
