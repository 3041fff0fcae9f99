import { describe, expect, test } from '@jest/globals';
import { type FieldError, Problem } from '#domain';
import { parseRunRequest } from './run-body.js';

const errorsOf = (act: () => unknown): readonly FieldError[] => {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.more.errors ?? [];
    throw error;
  }
};
const errorsIn = (body: unknown) => errorsOf(() => parseRunRequest(body));
const times = (count: number, item: object) => Array.from({ length: count }, () => ({ ...item }));
const pathsIn = (body: unknown) => errorsIn(body).map(({ path }) => path);

const step = { id: 's', name: 'n', description: '', depends_on: [] };
const workflow = { id: 'w', name: 'n', description: '', steps: [step] };
const server = { serverName: 'a', serverUrl: 'https://a.example/mcp' };
const full = {
  message: 'do it',
  system: '',
  mode: 'max',
  rules: ['a', ''],
  workflows: [
    {
      ...workflow,
      steps: [
        step,
        {
          ...step,
          id: 't',
          depends_on: ['s'],
          optional: true,
          retry_policy: { max_attempts: 2, backoff: 'linear', initial_delay_ms: 0 },
          output_schema: { anything: { goes: [1, null] } },
        },
      ],
    },
  ],
  agents: [{ name: 'a', description: 'b' }],
  mcp_servers: [
    server,
    { ...server, auth: { type: 'bearer', token: 't' } },
    { ...server, auth: { type: 'oauth', oauth: { accessToken: 't' } } },
  ],
  background: true,
  callback: { url: 'https://b.example/hook?token=x', headers: { 'X-Token': 'y' } },
  datastores: [{ id: 'd', name: 'docs' }],
  queries: [{ name: 'q', description: '', query: 'select ?' }],
  streaming_tokens: true,
  schedules: [
    { schedule: 60, message: 'm' },
    { schedule: '0 9 * * 1', message: 'm', timezone: 'Europe/Berlin' },
  ],
  final_output: { name: 'o', strict: true, schema: { type: 'object' } },
  compaction: false,
  on_busy: 'interrupt',
  tools: [],
} as const;

describe('a run request', () => {
  test('needs a message only, and gets its defaults', () => {
    expect(parseRunRequest({ message: 'hi' })).toEqual({
      message: 'hi',
      mode: 'base',
      rules: [],
      workflows: [],
      agents: [],
      mcp_servers: [],
      background: false,
      datastores: [],
      queries: [],
      streaming_tokens: false,
      schedules: [],
      on_busy: 'enqueue',
      tools: [],
    });
  });

  test('comes through as it was sent', () => {
    expect(parseRunRequest(full)).toEqual(full);
  });

  test('may be sent under its old names', () => {
    const { mcp_servers: mcpServers, streaming_tokens: streaming, ...rest } = full;
    expect(parseRunRequest({ ...rest, mcpServers, streaming })).toEqual(full);
    expect(parseRunRequest({ message: 'a', mode: 'fast' }).mode).toBe('base');
    expect(parseRunRequest({ ...full, mcpServers, streaming })).toEqual(full);
    expect(pathsIn({ message: 'a', streaming: true, streaming_tokens: false })).toEqual(['streaming']);
    expect(pathsIn({ message: 'a', mcpServers: [], mcp_servers: [server] })).toEqual(['mcpServers']);
  });

  test.each([undefined, null, [], 'text', 1, true])('must be an object, not %p', (body) => {
    expect(errorsIn(body)).toEqual([{ path: 'body', message: 'must be an object' }]);
  });

  test.each<[string, object]>([
    ['message', { message: undefined }],
    ['message', { message: '' }],
    ['message', { message: null }],
    ['system', { system: null }],
    ['mode', { mode: 'turbo' }],
    ['mode', { mode: ['base'] }],
    ['rules', { rules: 'none' }],
    ['rules[1]', { rules: ['a', 1] }],
    ['rules', { rules: Array(101).fill('a') }],
    ['background', { background: 'true' }],
    ['streaming', { streaming: 1 }],
    ['compaction', { compaction: 'no' }],
    ['on_busy', { on_busy: 'wait' }],
    ['mesage', { mesage: 'a' }],
    ['constructor', { constructor: 'a' }],
    ['hasOwnProperty', { hasOwnProperty: 'a' }],
    ['workflows', { workflows: {} }],
    ['workflows[0]', { workflows: [null] }],
    ['workflows', { workflows: times(51, workflow) }],
    ['workflows[0].steps', { workflows: [{ ...workflow, steps: times(201, step) }] }],
    ['workflows[0].id', { workflows: [{ ...workflow, id: '' }] }],
    ['workflows[0].extra', { workflows: [{ ...workflow, extra: 1 }] }],
    [
      'workflows[0].steps[2].depends_on[1]',
      { workflows: [{ ...workflow, steps: [step, step, { ...step, depends_on: ['a', ''] }] }] },
    ],
    [
      'workflows[1].steps[0].depends_on',
      { workflows: [workflow, { ...workflow, steps: [{ ...step, depends_on: undefined }] }] },
    ],
    [
      'workflows[0].steps[0].retry_policy.max_attempts',
      {
        workflows: [
          { ...workflow, steps: [{ ...step, retry_policy: { max_attempts: 0, backoff: 'none' } }] },
        ],
      },
    ],
    [
      'workflows[0].steps[0].retry_policy.jitter',
      {
        workflows: [
          {
            ...workflow,
            steps: [{ ...step, retry_policy: { max_attempts: 1, backoff: 'none', jitter: 1 } }],
          },
        ],
      },
    ],
    [
      'workflows[0].steps[0].output_schema',
      { workflows: [{ ...workflow, steps: [{ ...step, output_schema: [] }] }] },
    ],
    ['agents[0].name', { agents: [{ name: '', description: '' }] }],
    ['agents', { agents: times(51, { name: 'a', description: '' }) }],
    ['mcp_servers[0].serverUrl', { mcp_servers: [{ ...server, serverUrl: 'ftp://a' }] }],
    ['mcpServers[0].serverName', { mcpServers: [{ ...server, serverName: 1 }] }],
    ['mcp_servers', { mcp_servers: times(21, server) }],
    ['mcp_servers[0].auth.type', { mcp_servers: [{ ...server, auth: { type: 'basic', token: 't' } }] }],
    ['mcp_servers[0].auth.token', { mcp_servers: [{ ...server, auth: { type: 'bearer', token: 'a\nb' } }] }],
    ['mcp_servers[0].auth', { mcp_servers: [{ ...server, auth: 'token' }] }],
    ['mcp_servers[0].auth.token', { mcp_servers: [{ ...server, auth: { type: 'bearer' } }] }],
    [
      'mcp_servers[0].auth.oauth',
      { mcp_servers: [{ ...server, auth: { type: 'bearer', token: 't', oauth: {} } }] },
    ],
    [
      'mcp_servers[0].auth.oauth.accessToken',
      { mcp_servers: [{ ...server, auth: { type: 'oauth', oauth: {} } }] },
    ],
    ['callback', { callback: 'https://a.example' }],
    ['callback.url', { callback: { url: 'a.example' } }],
    ['callback.url', { callback: { url: 'https://me:pw@a.example' } }],
    ['callback.headers.Host', { callback: { url: 'https://a.example', headers: { Host: 'b' } } }],
    ['callback.headers.X', { callback: { url: 'https://a.example', headers: { X: 'a\r\nY: b' } } }],
    ['callback.headers.a b', { callback: { url: 'https://a.example', headers: { 'a b': 'c' } } }],
    ['callback.headers.X', { callback: { url: 'https://a.example', headers: { X: 1 } } }],
    ['callback.headers', { callback: { url: 'https://a.example', headers: { X: 'y'.repeat(8192) } } }],
    [
      'callback.headers',
      {
        callback: {
          url: 'https://a.example',
          headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x${n}`, ''])),
        },
      },
    ],
    ['datastores[0].id', { datastores: [{ id: '', name: 'a' }] }],
    ['system', { system: 'x'.repeat(2_097_153) }],
    ['rules[1]', { rules: ['a', 'x'.repeat(4_001)] }],
    ['agents[0].description', { agents: [{ name: 'a', description: 'x'.repeat(10_001) }] }],
    [
      'workflows[0].steps[0].depends_on[0]',
      { workflows: [{ ...workflow, steps: [{ ...step, depends_on: ['x'.repeat(201)] }] }] },
    ],
    ['queries[0].query', { queries: [{ name: 'a', description: '', query: 'x'.repeat(20_001) }] }],
    [
      'queries[0].query',
      { queries: [{ name: 'a', description: '', query: `SELECT ${Array(101).fill('?').join(',')}` }] },
    ],
    ['queries[0].query', { queries: [{ name: 'a', description: '', query: '' }] }],
    ['schedules[0].schedule', { schedules: [{ schedule: 0, message: 'm' }] }],
    ['schedules[0].schedule', { schedules: [{ schedule: 1.5, message: 'm' }] }],
    ['schedules[0].schedule', { schedules: [{ schedule: 31_536_001, message: 'm' }] }],
    ['schedules[0].schedule', { schedules: [{ schedule: '', message: 'm' }] }],
    ['schedules[0].schedule', { schedules: [{ schedule: true, message: 'm' }] }],
    ['schedules[0].message', { schedules: [{ schedule: 1 }] }],
    ['schedules', { schedules: times(101, { schedule: 1, message: 'm' }) }],
    ['final_output.schema', { final_output: { name: 'a' } }],
    ['final_output.strict', { final_output: { name: 'a', schema: {}, strict: 'yes' } }],
  ])('names %s where it is wrong', (path, change) => {
    expect(pathsIn({ message: 'hi', ...change })).toEqual([path]);
  });

  test('lists what is wrong, up to a bound, and never the values', () => {
    expect(pathsIn({ mode: 'x', foo: 1, rules: [2] })).toEqual(['foo', 'message', 'mode', 'rules[0]']);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, 'hunter2']));
    expect(errorsIn(many)).toHaveLength(50);
    expect(JSON.stringify(errorsIn({ message: ['hunter2'], mode: 'hunter2' }))).not.toContain('hunter2');
  });
});
