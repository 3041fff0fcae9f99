import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenApi } from '../../apps/server/src/features/docs/describe-service.js';
import { type Ask, type Addressed, addressed, asksOf, scopeByContract } from '../support/access/asks.js';
import { type Belongings, type Maker, makeBelongings } from '../support/access/cast.js';
import { CallbackReceiver } from '../support/callback-receiver.js';
import type { Answer, ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const SCOPES: readonly string[] = ['run', 'read', 'datastores', 'approve', 'metrics', 'admin'];
const OWNER = 'owners';
const MARK = 'heliotrope';

let stage: Stage;
let receiver: CallbackReceiver;
let maker: Maker;
let asks: readonly Ask[];
let belongings: Belongings;
const faults: string[] = [];

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  asks = asksOf((await stage.client.get('/openapi.json')).json<OpenApi>());
  maker = { stage, owner: await keyOf(SCOPES, OWNER), hook: receiver.url };
  belongings = await makeBelongings(maker, MARK);
  // It asks for a seal: before the first one there is no checkpoint to be told.
  expect((await maker.owner.get(`/sessions/${belongings.ids['session']}/export`)).status).toBe(200);
});
afterAll(async () => {
  await stage.close();
  await receiver.close();
});

async function issue(scopes: readonly string[], project: string): Promise<{ id: string; key: string }> {
  const answer = await stage.client.post('/api-keys', { name: 'k', scopes, project });
  return answer.json<{ id: string; key: string }>();
}
const keyOf = async (scopes: readonly string[], project: string): Promise<ServiceClient> =>
  stage.client.with((await issue(scopes, project)).key);

const send = (client: ServiceClient, { method }: Ask, { path, options }: Addressed): Promise<Answer> =>
  client.call(method, path, options);

/** Asks everything there is about somebody's belongings; what is not as `expected` says is a fault. */
async function askAll(
  who: string,
  client: ServiceClient,
  expected: (ask: Ask, about: Addressed) => number | 'success' | null,
): Promise<Map<Ask, Answer>> {
  const answers = new Map<Ask, Answer>();
  for (const ask of asks) {
    const about = addressed(ask, belongings);
    const wanted = expected(ask, about);
    if (wanted === null) continue;
    const answer = await send(client, ask, about);
    answers.set(ask, answer);
    const isRight = wanted === 'success' ? answer.status < 300 : answer.status === wanted;
    if (!isRight) note(who, ask, `${answer.status} instead of ${wanted}: ${answer.text.slice(0, 300)}`);
    if (answer.status >= 400) requireSilent(who, ask, about, answer);
  }
  return answers;
}

/** Nothing of the owner's in an answer but what the request itself said. */
function requireSilent(who: string, ask: Ask, about: Addressed, { text, headers }: Answer): void {
  const asked = about.path + JSON.stringify(about.options.body ?? '');
  const told = text + JSON.stringify(headers);
  for (const mark of belongings.marks)
    if (told.includes(mark) && !asked.includes(mark))
      note(who, ask, `it tells ${mark}: ${text.slice(0, 300)}`);
}

const note = (who: string, { method, path }: Ask, what: string): void =>
  void faults.push(`${who}: ${method} ${path}: ${what}`);

const isOpen = ({ scope }: Ask): boolean => scope === null;
/** Each of which is enough instead. */
const otherScopes = (ask: Ask): readonly string[] => {
  if (isMetrics(ask)) return ['metrics'];
  if (ask.path === '/tokens' || ask.path === '/mcp') return ['read'];
  if (!ask.path.startsWith('/actions')) return [];
  return ask.method === 'GET' ? ['approve'] : ['run'];
};
const isMetrics = ({ path }: Ask): boolean => path === '/metrics';

/** These are of the whole log, in which somebody writes all the time. */
const isOfLog = ({ path }: Ask): boolean => path === '/proof/checkpoint' || path.endsWith('/export');

/** What the owner reads of everything. */
async function ownersView(): Promise<string[]> {
  const isRead = (ask: Ask): boolean => ask.method === 'GET' && !isOpen(ask) && !isMetrics(ask);
  const reads = asks.filter((ask) => isRead(ask) && !isOfLog(ask));
  const answers = await Promise.all(reads.map((ask) => send(maker.owner, ask, addressed(ask, belongings))));
  return answers.map(({ status, text }) => `${status} ${text}`);
}

function expectNoFault(): void {
  expect(faults.splice(0)).toEqual([]);
}

describe('every operation of /openapi.json', () => {
  it('needs the scope that the contract names', () => {
    expect(asks.length).toBeGreaterThan(30);
    const said = (of: (ask: Ask) => string | null): string[] =>
      asks.map((ask) => `${ask.method} ${ask.path}: ${of(ask)}`);
    expect(said(({ scope }) => scope)).toEqual(said(scopeByContract));
    for (const ask of asks) expect([ask.path, ask.scopes.slice(1)]).toEqual([ask.path, otherScopes(ask)]);
  });

  it('is 401 without a key, with an unknown one and with a revoked one', async () => {
    const revoked = await issue(SCOPES, OWNER);
    await stage.client.call('DELETE', `/api-keys/${revoked.id}`);
    const strangers = { 'no key': '', unknown: `annals_${'x'.repeat(43)}`, revoked: revoked.key };
    for (const [who, key] of Object.entries(strangers))
      await askAll(who, stage.client.with(key), (ask) => (isOpen(ask) ? 'success' : 401));
    expectNoFault();
  });

  it('is 403 for a key of the same project that has every scope but the needed one, or another one alone', async () => {
    const sets = [
      ...SCOPES.map((scope) => [scope]),
      ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope && other !== 'admin')),
    ];
    for (const scopes of sets) {
      const client = await keyOf(scopes, OWNER);
      const isEnough = (ask: Ask): boolean =>
        isOpen(ask) || [...ask.scopes, 'admin'].some((s) => scopes.includes(s));
      // Whether what is asked for exists makes no difference.
      await askAll(scopes.join('+'), client, (ask) => (isEnough(ask) ? null : 403));
      for (const ask of asks.filter((ask) => ask.path.includes('{') && !isEnough(ask))) {
        const answer = await client.call(ask.method, ask.path.replaceAll(/\{\w+\}/g, 'nothing'));
        if (answer.status !== 403) note(scopes.join('+'), ask, `${answer.status} for what does not exist`);
      }
    }
    expectNoFault();
  });

  it('tells a key of another project nothing, as if there were nothing, and changes nothing', async () => {
    const before = await ownersView();
    expect(before.filter((view) => view.startsWith('200')).length).toBe(before.length);
    const nothing: Belongings = { ids: mapValues(belongings.ids, (id) => swapEnd(id)), marks: [] };
    const foreigners = { 'other project': (await issue(SCOPES, 'others')).key, 'first admin': ADMIN_KEY };
    for (const [who, key] of Object.entries(foreigners)) {
      const client = stage.client.with(key);
      const headers = { authorization: `Bearer ${key}` };
      // The first admin administers the keys and budgets of all projects.
      const isLeftOut = ({ path }: Ask): boolean =>
        who === 'first admin' && /^\/(api-keys|budgets)/.test(path);
      const answers = await askAll(who, client, (ask, about) =>
        isLeftOut(ask) ? null : about.isNaming ? 404 : 'success',
      );
      for (const [ask, answer] of answers) {
        const about = addressed(ask, belongings);
        requireSilent(who, ask, about, answer);
        if (!about.isNaming) continue;
        const none = await send(client, ask, addressed(ask, nothing));
        const told = (text: string): string => text.replace(/"request_id":"[^"]*"/, '');
        if (told(none.text) !== told(answer.text))
          note(who, ask, `${answer.text}, but ${none.text} for nothing`);
        if (ask.method !== 'GET') continue;
        const head = await fetch(stage.service.origin + about.path, { method: 'HEAD', headers });
        if (head.status !== (/\/(?:events|log)$/.test(about.path) ? 405 : 404))
          note(who, ask, `HEAD is ${head.status}`);
      }
    }
    expectNoFault();
    expect(await ownersView()).toEqual(before);
  });

  it('makes no key that shows the figures of all projects for the admin of one', async () => {
    const admin = await keyOf(['admin'], OWNER);
    for (const scopes of [['metrics'], ['read', 'metrics'], SCOPES])
      expect((await admin.post('/api-keys', { name: 'x', scopes })).status).toBe(403);
    expect((await admin.post('/api-keys', { name: 'x', scopes: ['read'] })).status).toBe(201);
  });

  it('makes no key in another project for its admin, and knows no idempotency key of another', async () => {
    const other = await keyOf(SCOPES, 'others');
    const key = { name: 'x', scopes: ['read'], project: OWNER };
    expect((await other.post('/api-keys', key)).status).toBe(403);
    const own = await other.runToEnd(stage.message('mine'), {
      headers: { 'idempotency-key': `${MARK} once` },
    });
    expect(Object.values(belongings.ids)).not.toContain(own.run_id);
    const mixed = `/runs/${own.run_id}/deliveries/${belongings.ids['delivery_id']}/resend`;
    expect((await other.post(mixed)).status).toBe(404);
  });

  it('is carried out for a key of the project with just the scope, and for its admin', async () => {
    let made = 0;
    for (const ask of asks.filter((ask) => !isOpen(ask)))
      for (const scope of new Set([...ask.scopes, 'admin'])) {
        const client = await keyOf([scope], OWNER);
        const isChange = ask.method !== 'GET' && ask.path.includes('{');
        const things = isChange ? await makeBelongings(maker, `${MARK} ${++made}`) : belongings;
        const answer = await send(client, ask, addressed(ask, things, scope));
        if (answer.status >= 300) note(scope, ask, `${answer.status}: ${answer.text.slice(0, 300)}`);
      }
    expectNoFault();
  });
});

const mapValues = (ids: Readonly<Record<string, string>>, change: (id: string) => string) =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, change(id)]));

/** An id of the same form that nobody has. */
const swapEnd = (id: string): string => `${id.slice(0, -3)}${id.endsWith('zzz') ? 'yyy' : 'zzz'}`;
