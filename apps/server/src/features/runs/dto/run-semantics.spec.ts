import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type FieldError, Problem } from '#domain';
import { validated } from '../../../edge/validation/validate.js';
import { RetryDto } from './retry.dto.js';
import { parseRunRequest } from './run-body.js';
import { LOCAL_SCHEMAS } from '../../../../../../test/support/local-schemas.js';
import { checkRunSemantics } from './run-semantics.js';

const step = (id: string, depends_on: readonly string[] = [], output_schema?: object) => ({
  id,
  name: id,
  description: '',
  depends_on,
  ...(output_schema === undefined ? {} : { output_schema }),
});
const workflow = (id: string, ...steps: object[]) => ({ id, name: id, description: '', steps });
const agent = (name: string) => ({ name, description: '' });

async function problemOf(fields: object): Promise<Problem | null> {
  try {
    await checkRunSemantics(parseRunRequest({ message: 'go', ...fields }), 'p', LOCAL_SCHEMAS);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
const errorsOf = async (fields: object): Promise<readonly FieldError[]> =>
  (await problemOf(fields))?.more.errors ?? [];

describe('a request', () => {
  it('is fine where its parts fit together', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } } };
    expect(
      await problemOf({
        workflows: [workflow('a', step('x', [], schema), step('y', ['x'], schema)), workflow('b')],
        agents: [agent('one'), agent('two')],
        final_output: { name: 'out', schema },
      }),
    ).toBeNull();
    expect(await problemOf({})).toBeNull();
  });

  it('is refused with the path of everything that is wrong, the first of it in the detail', async () => {
    const problem = await problemOf({
      workflows: [
        workflow('a', step('x', ['y']), step('y', ['x'])),
        workflow('a', step('x', ['x', 'z'], { type: 'strin' })),
      ],
      agents: [agent('one'), agent('two'), agent('one')],
      final_output: { name: 'out', schema: { properties: { a: { pattern: '(a' } } } },
    });
    expect(problem?.code).toBe('invalid_request');
    expect(problem?.detail).toMatch(
      /^workflows\[1\]\.id: is the id of workflows\[0\], too.* \(and 5 more\)$/,
    );
    expect(problem?.more.errors?.map((e) => e.path)).toEqual([
      'workflows[1].id',
      'workflows[0].steps[1].depends_on[0]',
      'workflows[1].steps[0].depends_on[1]',
      'final_output.schema.properties.a.pattern',
      'workflows[1].steps[0].output_schema.type',
      'agents[2].name',
    ]);
  });

  it('names the circle that its steps make', async () => {
    const steps = [step('a', ['c']), step('b', ['a']), step('c', ['b'])];
    expect(await errorsOf({ workflows: [workflow('w', ...steps)] })).toEqual([
      {
        path: 'workflows[0].steps[1].depends_on[0]',
        message: 'the steps depend on each other in a circle: a → c → b → a',
      },
    ]);
  });

  it('may use one schema in every step, but not ever so many different ones', async () => {
    const wide = (title: string) => ({ title, anyOf: Array.from({ length: 900 }, (_, i) => ({ const: i })) });
    const same = Array.from({ length: 10 }, (_, i) => step(`s${i}`, [], wide('same')));
    expect(await problemOf({ workflows: [workflow('w', ...same)] })).toBeNull();
    const many = Array.from({ length: 10 }, (_, i) => step(`s${i}`, [], wide(`title ${i}`)));
    expect(await errorsOf({ workflows: [workflow('w', ...many)] })).toEqual([
      {
        path: 'workflows[0].steps[4].output_schema',
        message: 'is one too many: the schemas of a request may have 4000 subschemas together',
      },
    ]);
  });

  it('gets 50 errors at most', async () => {
    const steps = Array.from({ length: 200 }, (_, i) => step(`s${i}`, ['nowhere'], { type: 1 }));
    expect(await errorsOf({ workflows: [workflow('w', ...steps)] })).toHaveLength(50);
  });
});

const EXAMPLES = 'docs/examples';

describe('the examples of the documentation', () => {
  it.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.json')))(
    '%s is a good request',
    async (name) => {
      const body: unknown = JSON.parse(readFileSync(`${EXAMPLES}/${name}`, 'utf8'));
      await expect(checkRunSemantics(parseRunRequest(body), 'p', LOCAL_SCHEMAS)).resolves.toBeUndefined();
    },
  );
});

describe('queries', () => {
  const query = (name: string) => ({ name, description: '', query: 'SELECT 1' });

  it('have different names: each is a tool of its name', async () => {
    expect(await errorsOf({ queries: [query('q'), query('other'), query('q'), query('Q')] })).toEqual([
      { path: 'queries[2].name', message: 'is the name of queries[0], too' },
    ]);
  });
});

describe("the caller's own tools", () => {
  const tool = (name: string, parameters: object = {}) => ({ name, description: '', parameters });

  it.each(['run_workflow', 'transfer_to_billing', 'search_handbook'])(
    'may be called %s in a run that cannot have a tool of that name',
    async (name) => {
      const body = parseRunRequest({ message: 'go', tools: [tool(name)] });
      await expect(checkRunSemantics(body, 'p', LOCAL_SCHEMAS, true)).resolves.toBeUndefined();
    },
  );

  it('leave read_history to the service, which has it in any run', async () => {
    const body = parseRunRequest({ message: 'go', tools: [tool('read_history')] });
    await expect(checkRunSemantics(body, 'p', LOCAL_SCHEMAS, true)).rejects.toThrow();
  });

  it.each([
    ['run_workflow', "is one of the service's own tools"],
    ['transfer_to_billing', "is one of the service's own tools"],
    ['search_handbook', "is one of the service's own tools"],
    ['read_history', "is one of the service's own tools"],
    ['orders', 'is the name of one of the queries, too'],
  ])('have no name that another tool has: %s', async (name, message) => {
    const queries = [{ name: 'orders', description: '', query: 'SELECT 1' }];
    expect(await errorsOf({ tools: [tool(name)], queries })).toEqual([{ path: 'tools[0].name', message }]);
  });

  it('have different names, and schemas of objects', async () => {
    const tools = [tool('pay'), tool('pay', { type: 'string' }), tool('bill', { type: 'strin' })];
    expect((await errorsOf({ tools })).map(({ path }) => path)).toEqual([
      'tools[2].parameters.type',
      'tools[1].name',
      'tools[2].parameters.type',
    ]);
  });

  it.each(['', 'a b', 'zahlen_ü', 'x'.repeat(65)])(
    'have a name that models take: %j is not one',
    async (name) => {
      await expect(problemOf({ tools: [tool(name)] })).resolves.toMatchObject({ code: 'invalid_request' });
    },
  );
});

describe('approvals', () => {
  it.each([
    [{ default: 'maybe' }, 'approvals.default'],
    [{ tools: { pay: 'yes' } }, 'approvals.tools.pay'],
    [{ tools: ['pay'] }, 'approvals.tools'],
    [{ by: 'me' }, 'approvals.by'],
    [{ expires_s: 0 }, 'approvals.expires_s'],
    [{ expires_s: 2_592_001 }, 'approvals.expires_s'],
    [{ expires_s: 1.5 }, 'approvals.expires_s'],
    [{ expire_s: 5 }, 'approvals.expire_s'],
  ])('are refused by the name of the field: %j', async (approvals, path) => {
    expect((await errorsOf({ approvals })).map((error) => error.path)).toContain(path);
  });
});

describe('a key that names a stored file on the log', () => {
  const FILE = { $file: 'f', bytes: 1, sha256: '0'.repeat(64) };
  const tool = (parameters: object) => ({ name: 'mine', description: '', parameters });

  it.each<[string, object]>([
    ['tools[0].parameters', { tools: [tool(FILE)] }],
    ['tools[0].parameters.default', { tools: [tool({ default: FILE })] }],
    ['tools[0].parameters.properties', { tools: [tool({ properties: { $file: {} } })] }],
    ['tools[0].parameters.examples[1][0].a', { tools: [tool({ examples: [1, [{ a: { $file: null } }]] })] }],
    ['final_output.schema.const', { final_output: { name: 'out', schema: { const: FILE } } }],
    [
      'workflows[0].steps[0].output_schema.enum[0]',
      { workflows: [workflow('a', step('x', [], { enum: [FILE] }))] },
    ],
    ['approvals.tools', { approvals: { tools: { $file: 'ask' } } }],
    ['metadata', { metadata: { $file: 'f' } }],
  ])('is refused, whatever stands there: %s', async (path, fields) => {
    const message = 'must not have a key $file: it is kept for stored files';
    expect(await errorsOf(fields)).toEqual([{ path, message }]);
  });

  it('is refused where a run that goes on is given other rules', () => {
    const refused = (): unknown => validated(RetryDto, { approvals: { tools: { $file: 'ask' } } });
    expect(refused).toThrow('approvals.tools: must not have a key $file');
  });

  it('is no matter in a text, in what is sealed, and in what is not kept', async () => {
    const text = JSON.stringify(FILE);
    const callback = { url: 'https://example.com/hook', headers: { $file: 'x' } };
    const mcp_servers = [{ serverName: '$file', serverUrl: 'https://example.com/mcp' }];
    const schema = { title: text, description: '$file', required: ['$file'] };
    expect(await problemOf({ message: text, callback, mcp_servers, tools: [tool(schema)] })).toBeNull();
  });

  it('is told as often as others are, however often it stands there', async () => {
    const many = Array.from({ length: 1_000 }, () => FILE);
    expect(await errorsOf({ tools: [tool({ examples: many })] })).toHaveLength(50);
  });
});
