import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal, hasScope } from '#access';
import { Problem } from '#domain';
import { type OperationTerms, isOpen, termsOf } from '../routes/operation.js';
import { callerOf } from './caller.js';

/**
 * Lets nobody reach a handler whose key has not the scope of its `@Operation`. Admission has asked the same already, before
 * the body was read; this is the lock of the handlers themselves, whatever comes to stand before them.
 */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly isProofPublic = false) {}

  /** @throws Problem unauthenticated, forbidden */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const terms = termsOf(request.routeOptions.config);
    if (terms !== null && isOpen(terms, this.isProofPublic)) return true;
    const refusal = terms === null ? null : refuseScope(callerOf(request), terms);
    if (refusal !== null) throw refusal;
    return terms !== null;
  }
}

/** null: the key has the scope, or the one that may stand for it. */
export function refuseScope(principal: Principal, { scope, orScope }: OperationTerms): Problem | null {
  const mayInstead = orScope !== undefined && hasScope(principal, orScope);
  if (scope !== null && !hasScope(principal, scope) && !mayInstead)
    return new Problem('forbidden', `this key lacks the scope ${scope}`);
  return null;
}
