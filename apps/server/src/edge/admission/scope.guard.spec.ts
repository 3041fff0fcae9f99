import type { ExecutionContext } from '@nestjs/common';
import { expect, test } from '@jest/globals';
import type { ProjectId, Scope } from '#domain';
import type { OperationTerms } from '../routes/operation.js';
import { ScopeGuard } from './scope.guard.js';

const terms = (scope: Scope | null, orScope?: Scope): OperationTerms => ({
  id: 'x',
  tag: 'operations',
  summary: 'x',
  scope,
  ...(orScope === undefined ? {} : { orScope }),
  answers: { 200: null },
});

/** What Nest hands to a guard, as far as it looks. */
const asking = (config: OperationTerms | null, ...scopes: readonly Scope[]): ExecutionContext => {
  const principal = {
    keyId: 'key_1',
    project: 'default' as ProjectId,
    scopes: new Set(scopes),
    isRoot: false,
  };
  const request = { principal: scopes.length === 0 ? null : principal, routeOptions: { config } };
  return { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
};
const guard = new ScopeGuard();

test.each<[OperationTerms, readonly Scope[]]>([
  [terms(null), []],
  [terms('read'), ['read']],
  [terms('read'), ['admin']],
  [terms('read', 'metrics'), ['metrics']],
])('lets in who has the scope of the route: %j', (route, scopes) => {
  expect(guard.canActivate(asking(route, ...scopes))).toBe(true);
});

test('nobody else, and nobody to a handler without an operation', () => {
  expect(() => guard.canActivate(asking(terms('run'), 'read'))).toThrow('this key lacks the scope run');
  expect(() => guard.canActivate(asking(terms('run')))).toThrow('a valid API key is needed');
  expect(guard.canActivate(asking(null, 'admin'))).toBe(false);
});
