import type { FastifyRequest } from 'fastify';
import type { Author } from '#knowledge';
import type { Principal } from '#access';

/** The caller, as the envelopes of what he does name him. */
export const authorOf = ({ project, keyId }: Principal, { id }: FastifyRequest): Author => ({
  project,
  actor: keyId,
  correlationId: id,
});
