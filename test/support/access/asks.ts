import type { OpenApi, OpenApiOperation } from '../../../apps/server/src/features/docs/describe-service.js';
import type { CallOptions } from '../service-client.js';
import { ADMIN_KEY } from '../service-process.js';
import { type Belongings, placed, uploadOf } from './cast.js';

/** An operation of the interface, as its own description has it. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  /** What the description says that a key needs; null: none is needed. */
  readonly scope: string | null;
  /** Each of which is enough. */
  readonly scopes: readonly string[];
  readonly operation: OpenApiOperation;
}

/** Every operation that is described, those that end things last. */
export function asksOf(description: OpenApi): Ask[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const needs = (operation['security'] ?? []) as readonly { readonly key: readonly string[] }[];
      const scopes = needs.flatMap(({ key }) => key);
      return { method: method.toUpperCase(), path, scope: scopes[0] ?? null, scopes, operation };
    }),
  );
}

/** The scope that an operation needs by the contract's words (A7, B6), said once more, apart from the code. */
export function scopeByContract({ method, path }: Pick<Ask, 'method' | 'path'>): string | null {
  if (/^\/(healthz|readyz|openapi\.json|docs|console|\.well-known)(\/|$)/.test(path)) return null;
  if (/^\/(api-keys|budgets)(\/|$)/.test(path)) return 'admin';
  if (path === '/tokens') return 'run';
  if (path.endsWith('/resolve')) return 'approve';
  if (method === 'DELETE' && path.startsWith('/sessions')) return 'admin';
  const isOfDatastores = /^\/(datastores|documents|create-datastore|index-document)(\/|$)/.test(path);
  if (isOfDatastores && method !== 'GET') return 'datastores';
  return method === 'GET' || path === '/get-messages' ? 'read' : 'run';
}

export interface Addressed {
  readonly path: string;
  readonly options: CallOptions;
  /** It names something of the owner's, which is 404 for everyone else. A filter of a list does not. */
  readonly isNaming: boolean;
}

/** The request for an operation, made as well as it can be, about somebody's belongings. */
export function addressed(ask: Ask, belongings: Belongings, scope = 'read'): Addressed {
  const { method, operation } = ask;
  const hasSession = (operation.parameters ?? []).some((p) => p.in === 'query' && p.name === 'session');
  const query = hasSession ? `?session=${belongings.ids['session']}` : '';
  const { body, headers } = bodyOf(ask, belongings, scope);
  const isNaming =
    ask.path.includes('{') ||
    (method !== 'GET' &&
      (hasSession || JSON.stringify(body ?? '').includes(belongings.ids['datastores'] ?? '?')));
  return {
    path: placed(ask.path, belongings) + query,
    options: {
      ...(body === undefined ? {} : { body }),
      // No stream: an answer that ends.
      headers: {
        accept: method === 'GET' ? 'application/json, text/*;q=0.5' : 'application/json',
        ...headers,
      },
    },
    isNaming: isNaming && ask.scope !== null,
  };
}

function bodyOf({ method, path, operation }: Ask, { ids }: Belongings, scope: string): CallOptions {
  // A key gives no scope that it lacks.
  if (path === '/tokens') return { body: { scopes: [scope === 'run' ? 'run' : 'read'], expires_s: 60 } };
  if (path === '/console/auth') return method === 'POST' ? { body: { key: ADMIN_KEY } } : {};
  const datastore = ids['datastores'] ?? '';
  if (path === '/' && method === 'POST')
    return { body: { message: 'hello', background: true, datastores: [{ id: datastore, name: 'books' }] } };
  const content = operation.requestBody?.content ?? {};
  if ('multipart/form-data' in content) return uploadOf(datastore, 'one more');
  const json = content['application/json'];
  if (json === undefined) return {};
  const [example] = Object.values(json.examples ?? {});
  if (example === undefined) throw new Error(`${method} ${path}: its description has no example of a body`);
  return { body: example.value };
}
