import { expect, test } from '@jest/globals';
import { PinoLogger } from './pino-logger.js';

test('writes one line of JSON, with an error and its causes, without their fields and secrets', () => {
  const lines: string[] = [];
  const logger = new PinoLogger('info', { write: (line) => lines.push(line) });
  const cause = Object.assign(new Error('connect postgres://me:hunter2@db failed'), {
    code: 'ECONNREFUSED',
    config: { password: 'hunter2' },
  });
  logger.debug({}, 'not at this level');
  logger.error({ err: new Error('no database', { cause }), run: 'run_1' }, 'request failed');
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0] ?? '') as object;
  expect(line).toMatchObject({
    level: 'error',
    msg: 'request failed',
    run: 'run_1',
    err: { type: 'Error', message: 'no database', cause: { code: 'ECONNREFUSED' } },
  });
  expect(lines[0]).not.toContain('hunter2');
});

test('says where an error was made, and never its stack', () => {
  const lines: string[] = [];
  const logger = new PinoLogger('info', { write: (line) => lines.push(line) });
  logger.warn({ err: new TypeError('at libs/no/such.ts:1, says the text') }, 'odd');
  const { err } = JSON.parse(lines[0] ?? '') as { err: { at: string } };
  expect(err.at).toMatch(/^libs\/platform\/src\/pino-logger\.spec\.ts:\d+$/);
  expect(lines[0]).not.toMatch(/stack|\\n|file:|\(\//);
});
