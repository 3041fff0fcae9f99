import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { compiledFile } from '#platform';
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
  expect(err.at).toMatch(/^apps\/server\/src\/observability\/pino-logger\.spec\.ts:\d+$/);
  expect(lines[0]).not.toMatch(/stack|\\n|file:|\(\//);
});

describe('a process', () => {
  const program = `
    const { PinoLogger } = await import('${compiledFile('./pino-logger.js', import.meta.url).href}');
    const logger = new PinoLogger('info');
    for (let n = 0; n < 3000; n++) logger.info({ n }, 'x'.repeat(1000));
    await logger.end(100);
    process.exit(3);`;

  /** Its exit code, with its lines going to `stdout`, which nobody reads. */
  async function exitOf(stdout: 'pipe' | number): Promise<number | null> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', stdout, 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  it('ends although nobody reads what it has said', async () => {
    expect(await exitOf('pipe')).toBe(3);
  });

  it('ends although what it says cannot be written, e.g. to a terminal that was closed', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      expect(await exitOf(full)).toBe(3);
    } finally {
      closeSync(full);
    }
  });
});
