import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#domain';
import type { Principal } from '#access';

/** Parameter decorator: the principal that the request came in as. Not for open routes. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

export function callerOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Problem('unauthenticated', 'a valid API key is needed');
  return request.principal;
}
