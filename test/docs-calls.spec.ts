import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { STATUS } from '../apps/server/src/edge/problems/problem-response.js';

interface Operation {
  readonly security?: readonly { readonly key?: readonly string[] }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { readonly paths: Paths };
const METHOD = /^(?:GET|POST|PUT|DELETE) /;
/** OpenAI's part is described on its own page; these are answered without being operations. */
const ELSEWHERE = /^GET \/(?:$|console)|^\w+ \/v1\//;

/** With parameters of any name, and without a query. */
const plain = (path: string): string => (path.split('?')[0] ?? '').replace(/\{[^}]*\}|\$[A-Z_]+/g, '{}');

/** The scopes of each operation, as `GET /runs/{}`. */
const operations = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => [
      `${method.toUpperCase()} ${plain(path)}`,
      security.flatMap(({ key = [] }) => key).toSorted(),
    ]),
  ),
);
const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
const textOf = (page: string): string => readFileSync(`docs/${page}`, 'utf8');

const isOperation = (call: string): boolean => {
  const [method = '', path = ''] = call.split(' ');
  const asked = plain(path).split('/');
  // A page may say `/budgets/project/default` for `/budgets/{}/{}`.
  return [...operations.keys()].some((known) => {
    const parts = known.slice(method.length + 1).split('/');
    return (
      known.startsWith(`${method} `) &&
      parts.length === asked.length &&
      parts.every((part, at) => part === '{}' || part === asked[at])
    );
  });
};

/** Calls of a cell; `DELETE` behind `GET /x` is `DELETE /x`, `/resume` behind `POST /x/pause` is `POST /x/resume`. */
function callsOf(cell: string): readonly string[] {
  let [method, path] = ['', ''];
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => {
    if (METHOD.test(code)) [method, path] = code.split(' ') as [string, string];
    else if (/^[A-Z]+$/.test(code)) method = code;
    else path = path.replace(/\/[^/]*$/, code);
    return `${method} ${plain(path)}`;
  });
}

/** The table of docs/api.md: the calls of each row, and its scopes. */
const rows = textOf('api.md')
  .replaceAll('\\|', '/')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, calls = '', scopes]) => METHOD.test(calls.slice(1)) && scopes !== undefined)
  .map(([, calls = '', scopes = '']) => ({
    calls: callsOf(calls),
    scopes: scopes === '–' ? [] : scopes.split(', ').toSorted(),
  }));

describe('the pages of the documentation', () => {
  it('name no call that the service does not have', () => {
    const wrong = pages.flatMap((page) =>
      [...textOf(page).matchAll(/`((?:GET|POST|PUT|DELETE|PATCH) \/[^`\s…]*)`/g)]
        .map(([, call = '']) => call)
        .filter((call) => !ELSEWHERE.test(call) && !isOperation(call.split('?')[0] ?? ''))
        .map((call) => `${page}: ${call}`),
    );
    expect(wrong).toEqual([]);
  });

  it('say of each call which scopes it takes', () => {
    for (const { calls, scopes } of rows)
      for (const call of calls)
        if (operations.has(call)) expect([call, scopes]).toEqual([call, operations.get(call)]);
  });

  it('list every operation in the table of docs/api.md', () => {
    const listed = new Set(rows.flatMap(({ calls }) => calls));
    const small = /^GET \/(?:docs\/\{\}|\.well-known\/oauth-protected-resource\/mcp)$/;
    expect([...operations.keys()].filter((call) => !small.test(call) && !listed.has(call))).toEqual([]);
  });

  it('give each refusal the status that it is answered with', () => {
    const wrong = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\b([45]\d\d) `([a-z_]+)`/g)]
        // 413 and 431 are also said of what HTTP refuses, in the one code that there is for it.
        .filter(([, , code = '']) => code !== 'invalid_request' && Object.hasOwn(STATUS, code))
        .filter(([, status, code]) => STATUS[code as keyof typeof STATUS] !== Number(status))
        .map(([said]) => `${page}: ${said}`),
    );
    expect(wrong).toEqual([]);
    const method = textOf('api.md')
      .split('\n')
      .filter((line) => line.includes('wrong method'));
    expect(method).toEqual([expect.stringContaining(`${STATUS.method_not_allowed} \`method_not_allowed\``)]);
  });
});
