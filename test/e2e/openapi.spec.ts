import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { routesOf } from '../../apps/server/src/edge/routes/routes-of.js';
import { API_CONTROLLERS, OPERATOR_CONTROLLERS } from '../../apps/server/src/features/controllers.js';
import { type OpenApi, describeService } from '../../apps/server/src/features/docs/describe-service.js';
import { GREETING } from '../../apps/server/src/features/runs/shared/greeting.js';
import { ServiceProcess } from '../support/service-process.js';

let service: ServiceProcess;
let description: OpenApi;
beforeAll(async () => {
  service = await ServiceProcess.start();
  description = (await service.client('').get('/openapi.json')).json<OpenApi>();
}, 60_000);
afterAll(() => service.dispose(), 60_000);

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
        mode: { enum: ['flash', 'base', 'max', 'fast'], default: 'base' },
        schedules: { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/Schedule' } },
        mcp_servers: { type: 'array', maxItems: 20 },
      },
    });
    expect(Schedule).toMatchObject({ required: ['schedule', 'message'] });
    expect(NewApiKey).toMatchObject({ properties: { scopes: { type: 'array', minItems: 1 } } });
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
        const body = requestBody === undefined ? {} : { body: { query: 'x' } };
        const { status } = await service.client().call(method.toUpperCase(), place, body);
        // To revoke a key that is not there is no fault.
        expect([method, path, status === 204 ? 404 : status]).toEqual([method, path, 404]);
      }
    }
  });

  it('has examples that work as they stand', async () => {
    const datastore = { name: 'Examples', type: 'documents' };
    const { datastore_id } = (await service.client().post('/create-datastore', datastore)).json();
    let count = 0;
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        for (const { value } of Object.values(requestBody?.content['application/json']?.examples ?? {})) {
          const place = path.replace('{id}', String(datastore_id));
          const { status, text } = await service.client().call(method.toUpperCase(), place, { body: value });
          expect([status < 300, text]).toEqual([true, expect.not.stringContaining('agent_error')]);
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(7);
  }, 60_000);
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
