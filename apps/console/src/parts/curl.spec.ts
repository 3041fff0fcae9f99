import { expect, test } from '@jest/globals';
import { curlOf } from './curl.js';

const ORIGIN = 'http://localhost:3000';

test('a call is told as a line for a shell, without the key', () => {
  expect(curlOf({ path: '/runs?status=failed' }, ORIGIN)).toBe(
    `curl \\\n  'http://localhost:3000/runs?status=failed' \\\n  -H "Authorization: Bearer $ANNALS_KEY"`,
  );
});

test('a body is JSON, and quotes in it do not end it', () => {
  const line = curlOf({ method: 'POST', path: '/', body: { message: "it's $(here)" } }, ORIGIN);
  expect(line).toContain(`-d '{"message":"it'\\''s $(here)"}'`);
  expect(line).toContain("-H 'Content-Type: application/json'");
  expect(line).not.toContain('-X');
});

test('other methods and headers are named', () => {
  const line = curlOf({ method: 'DELETE', path: '/tasks/t', headers: { 'Idempotency-Key': 'k' } }, ORIGIN);
  expect(line).toContain('-X DELETE');
  expect(line).toContain("-H 'Idempotency-Key: k'");
});
