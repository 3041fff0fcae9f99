import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fieldsOf } from '../../apps/server/src/edge/validation/dto-fields.js';
import type { Route } from '../../apps/server/src/edge/routes/route-book.js';
import { routesOf } from '../../apps/server/src/edge/routes/routes-of.js';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from '../../apps/server/src/features/controllers.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

/** What others' interfaces and pages take, and what is looked at before a query is held against anything. */
const OFTEN = ['session', 'run', 'other', 'action', 'token', 'limit', 'after', 'include', 'stream', 'order'];

let service: ServiceProcess;
let client: ServiceClient;
let places: Readonly<Record<string, string>>;
let callers: readonly string[];
beforeAll(async () => {
  service = await ServiceProcess.start({ env: { RATE_LIMIT_RPM: '1000000' } });
  client = service.client();
  const { session, run_id: run } = await client.runToEnd({ message: 'What is 6 x 7?' });
  const waiting = await client.runToEnd({
    message: 'Carry out look_up {"word": "x"}',
    tools: [{ name: 'look_up', description: 'd', parameters: { type: 'object' } }],
  });
  const [action] = (await client.get('/actions')).json<{ items: { action_id: string }[] }>().items;
  const task = 'tsk_none';
  places = { session, run, other: waiting.run_id, action: action?.action_id ?? '', task, id: 'none' };
  const tokens = [{ session }, {}].map((wish) =>
    client.post('/tokens', { scopes: ['run', 'read'], expires_s: 600, ...wish }),
  );
  callers = [ADMIN_KEY, ...(await Promise.all(tokens)).map((made) => String(made.json()['token']))];
});
afterAll(() => service.dispose());

const ROUTES = routesOf([...API_CONTROLLERS, ...OPERATOR_CONTROLLERS]);
const known = ({ terms: { query } }: Route): string[] =>
  query === undefined ? [] : [...fieldsOf(query).keys()];

/** What of these is answered, once its head is there. */
async function statusOf(route: Route, query: string, key: string): Promise<[number, string]> {
  const path = route.url.replaceAll(/:(\w+)/g, (_, name: string) => places[name] ?? 'none');
  const { method } = route;
  const { body, isForeign = false } = route.terms;
  const hasBody = body !== undefined || (isForeign && method === 'POST');
  const gone = new AbortController();
  const answer = await fetch(`${service.origin}${path}?${query}`, {
    method,
    redirect: 'manual',
    signal: gone.signal,
    headers: { authorization: `Bearer ${key}`, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: '{"message":"What is 6 x 7?"}' }),
  });
  const isProblem = /problem\+json/.test(answer.headers.get('content-type') ?? '');
  const text = isProblem ? await answer.text() : '';
  gone.abort();
  return [answer.status, text];
}

const twice = (name: string, value: string): readonly string[] => [
  `${name}=${value}&${name}=${value}`,
  `${name}[]=${value}&${name}[]=`,
  `${name}[a]=${value}`,
  `${name}[__proto__]=&${name}=${value}`,
];

describe('a parameter that is given twice, or as a list', () => {
  it('is there to be tried on every route that takes one', () => {
    const taking = ROUTES.filter((route) => known(route).length > 0);
    expect(taking.length).toBeGreaterThan(20);
    expect(new Set(taking.flatMap(known))).toContain('disclose');
  });

  it.each(ROUTES.map((route) => [`${route.method} ${route.url}`, route] as const))(
    'ends nothing in an error of ours: %s',
    async (_, route) => {
      const values = ['1', String(places['session'])];
      const [admin = '', ...tokens] = callers;
      const failed: string[] = [];
      for (const name of new Set([...known(route), ...OFTEN]))
        for (const query of values.flatMap((value) => twice(name, value)))
          for (const key of route.terms.isForTokens === true ? [admin, ...tokens] : [admin]) {
            const [status] = await statusOf(route, query, key);
            if (status >= 500)
              failed.push(`${status} ${query} ${tokens.includes(key) ? 'with a token' : ''}`);
          }
      expect(failed).toEqual([]);
    },
  );

  it.each(
    ROUTES.flatMap((route) =>
      known(route).map((name) => [`${route.method} ${route.url}`, name, route] as const),
    ),
  )('is refused by its name: %s %s', async (_, name, route) => {
    const isPrefix = name === 'metadata';
    const sent = isPrefix ? 'metadata.k' : name;
    const [status, text] = await statusOf(route, `${sent}=1&${sent}=1`, ADMIN_KEY);
    const { code, errors } = JSON.parse(text) as { code: string; errors: unknown };
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(errors).toContainEqual({ path: sent, message: 'must be given once' });
  });
});
