import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { routesOf } from '../../apps/server/src/edge/routes/routes-of.js';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from '../../apps/server/src/features/controllers.js';
import { type OpenApi, describeService } from '../../apps/server/src/features/docs/describe-service.js';
import { MEANINGS, SAMPLES } from '../../apps/server/src/features/docs/meanings.js';
import { GREETING } from '../../apps/server/src/features/runs/shared/greeting.js';
import { ServiceProcess } from '../support/service-process.js';

let service: ServiceProcess;
let description: OpenApi;
beforeAll(async () => {
  service = await ServiceProcess.start();
  description = (await service.client('').get('/openapi.json')).json<OpenApi>();
});
afterAll(() => service.dispose());

interface Waiting {
  readonly run_id: string;
  readonly actions: readonly { readonly action_id: string }[];
}

/** A run that was cancelled while it waited. */
async function brokenRun(): Promise<string> {
  const { run_id: run } = await waitingFor({});
  await service.client().post(`/runs/${run}/cancel`);
  return run;
}

/** An action that this decision fits, of a run that waits for it. */
const actionFor = async (decision: object): Promise<string> =>
  (await waitingFor(decision)).actions[0]?.action_id ?? '';

async function waitingFor(decision: object): Promise<Waiting> {
  const isApproval = 'decision' in decision && decision.decision === 'approve';
  const step = { id: 's', name: 's', description: 'd', depends_on: [] };
  const asking = isApproval
    ? {
        message: 'Carry out run_workflow {"workflow_id": "w", "input": "x"}',
        workflows: [{ id: 'w', name: 'w', description: 'd', steps: [step] }],
        approvals: { default: 'ask' },
      }
    : {
        message: 'Carry out look_up {"word": "x"}',
        tools: [{ name: 'look_up', description: 'd', parameters: { type: 'object' } }],
      };
  const headers = { accept: 'application/json' };
  const answer = await service.client().post('/', asking, { headers });
  return answer.json<Waiting>();
}

describe('/openapi.json', () => {
  it('is OpenAPI 3.1, readable without a key', async () => {
    expect(description.openapi).toMatch(/^3\.1\./);
    const { valid, errors } = await new Validator().validate(structuredClone(description));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('is of the routes that are served, each as its controller states it', () => {
    const stated = routesOf([...API_CONTROLLERS, ...OPERATOR_CONTROLLERS]);
    expect(stated.length).toBeGreaterThan(30);
    const { version } = description['info'] as { readonly version: string };
    expect(description).toEqual(JSON.parse(JSON.stringify(describeService(stated, version))));
  });

  it('has the fields of a request as they are checked', () => {
    const { RunRequest, Schedule, NewApiKey } = description.components.schemas;
    expect(RunRequest).toMatchObject({
      required: ['message'],
      additionalProperties: false,
      properties: {
        message: { type: 'string', minLength: 1 },
        mode: { enum: ['flash', 'base', 'max', 'fast'] },
        schedules: { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/Schedule' } },
        mcp_servers: { type: 'array', maxItems: 20 },
      },
    });
    expect(Schedule).toMatchObject({ required: ['schedule', 'message'] });
    expect(NewApiKey).toMatchObject({ properties: { scopes: { type: 'array', minItems: 1 } } });
  });

  it('says what every field and parameter means', () => {
    const { schemas } = description.components;
    const silent = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties as Record<string, { description?: string }>)
        .filter(([, field]) => !field.description)
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).toEqual([]);
    for (const methods of Object.values(description.paths))
      for (const { operationId, parameters = [], summary } of Object.values(methods)) {
        const silentParameters = parameters.filter((parameter) => parameter.description === '');
        expect([operationId, summary, silentParameters]).toEqual([
          operationId,
          expect.stringMatching(/./),
          [],
        ]);
      }
  });

  it('has nothing that generators of clients stumble over', () => {
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Record<string, unknown>;
      if (schema['format'] === 'date-time') expect(schema).not.toHaveProperty('pattern');
      if (Array.isArray(schema['type'])) expect(schema['type']).not.toContain('object');
      if (typeof schema['type'] === 'string') expect(schema).not.toHaveProperty('default');
      Object.values(schema).forEach(walk);
    };
    walk(description);
    for (const methods of Object.values(description.paths))
      for (const { responses } of Object.values(methods)) {
        const [first] = Object.keys(responses['200']?.content ?? {});
        expect(first).not.toBe('text/event-stream');
      }
    const { StreamEvent, AgentEvent } = description.components.schemas;
    expect(StreamEvent?.['anyOf']).toHaveLength(2);
    expect(AgentEvent).toMatchObject({ discriminator: { propertyName: 'type' } });
    expect(Object.keys(description['webhooks'] as object)).toEqual(['runEvent']);
  });

  it('names the headers that answers have', async () => {
    const headersOf = (path: string, method: string, status: number): string[] =>
      Object.keys(description.paths[path]?.[method]?.responses[status]?.headers ?? {}).map((name) =>
        name.toLowerCase(),
      );
    const client = service.client();
    const json = { headers: { accept: 'application/json' } };
    for (const [path, method, { status, headers }] of [
      ['/', 'post', await client.post('/', { message: 'What is 6 x 7?', background: true })],
      ['/', 'post', await client.post('/', { message: 'What is 6 x 7?' }, json)],
      ['/runs', 'get', await client.get('/runs')],
      ['/runs', 'get', await service.client('annals_none').get('/runs')],
      ['/healthz', 'get', await client.get('/healthz')],
      ['/api-keys', 'post', await client.post('/api-keys', { name: 'k', scopes: ['read'] })],
      ['/tokens', 'post', await client.post('/tokens', { scopes: ['read'], expires_s: 1 })],
    ] as const) {
      const told = headersOf(path, method, status);
      const had = [
        'x-request-id',
        'content-location',
        'location',
        'annals-receipt',
        'retry-after',
        'ratelimit',
      ].concat(['policy', 'limit', 'remaining', 'reset'].map((name) => `ratelimit-${name}`));
      expect([path, status, told.toSorted()]).toEqual([
        path,
        status,
        had.filter((name) => headers[name] !== undefined).toSorted(),
      ]);
    }
  });

  it('gives meanings to nothing that does not exist', () => {
    const { schemas } = description.components;
    const fields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.keys(properties as object).map((field) => `${name}.${field}`),
    );
    const known = new Set(fields.flatMap((field) => [field, field.split('.')[1]]));
    const meant = [...Object.keys(MEANINGS), ...Object.keys(SAMPLES)];
    expect(meant.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has parameters that their routes know', async () => {
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, { parameters = [] }] of Object.entries(methods)) {
        const names = parameters.filter((p) => p.in === 'query').map((p) => p.name);
        const query = names.map((name) => `${name}=`).join('&');
        const place = path.replaceAll(/\{[^}]+\}/g, 'x');
        const { text } = await service.client().call(method.toUpperCase(), `${place}?${query}`);
        expect(`${method} ${path} ${text}`).not.toContain('is not a known parameter');
      }
    }
  });

  it('has places that are 404 for what no table can hold', async () => {
    for (const [path, methods] of Object.entries(description.paths)) {
      if (!path.includes('{')) continue;
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const place = path.replaceAll(/\{[^}]+\}/g, '%00');
        const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
        const body = requestBody === undefined ? {} : { body: example?.value ?? {} };
        const { status } = await service.client().call(method.toUpperCase(), place, body);
        // To revoke a key that is not there is no fault.
        expect([method, path, status === 204 ? 404 : status]).toEqual([method, path, 404]);
      }
    }
  });

  const idFor = async (path: string, example: object, datastore: string): Promise<string> => {
    if (path.startsWith('/actions/')) return actionFor(example);
    if (!path.startsWith('/api-keys/')) return datastore;
    return String((await service.client().post('/api-keys', { name: 'k', scopes: ['read'] })).json()['id']);
  };

  it('has examples that work as they stand', async () => {
    const datastore = { name: 'Examples', type: 'documents' };
    const { datastore_id } = (await service.client().post('/create-datastore', datastore)).json();
    const ended = await service.client().runToEnd({ message: 'What is 6 x 7?' });
    let count = 0;
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        for (const { value } of Object.values(requestBody?.content['application/json']?.examples ?? {})) {
          const id = await idFor(path, value, String(datastore_id));
          const run = path.endsWith('/retry') ? await brokenRun() : ended.run_id;
          const session = path.endsWith('/fork') ? ended.session : '';
          const place = path
            .replace('{scope}/{id}', 'project/default')
            .replace('{id}', id)
            .replace('{run_id}', run)
            .replace('{session}', session);
          const { status, text } = await service.client().call(method.toUpperCase(), place, { body: value });
          expect([status < 300, text]).toEqual([true, expect.not.stringContaining('agent_error')]);
          // There is no price of the demo model: nothing could be counted.
          if (path.startsWith('/budgets')) await service.client().call('DELETE', place);
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(7);
  });
});

describe('/docs', () => {
  it('is a page that loads nothing from elsewhere', async () => {
    const client = service.client('');
    const { status, text, headers } = await client.get('/docs');
    expect(status).toBe(200);
    expect(text).not.toMatch(/https?:/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/https?:|\*/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    const files = [...text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file]) => file);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const answer = await client.get(`/${file}`);
      expect([file, answer.status]).toEqual([file, 200]);
      expect(answer.text.length).toBeGreaterThan(100);
    }
    expect((await client.get('/docs/package.json')).status).toBe(404);
  });

  it('fills in a greeting that asks who is there', () => {
    const content = description.paths['/']?.['post']?.requestBody?.content['application/json'];
    const [first] = Object.values(content?.examples ?? {});
    expect(first?.value).toEqual({ message: GREETING });
    expect(GREETING).toMatch(/^Hello.*introduce yourself/);
  });
});
