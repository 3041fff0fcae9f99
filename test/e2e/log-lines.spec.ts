import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

/** Enough for the pipe to be full several times over: each request has a line at `debug`. */
const REQUESTS = 5_000;

let service: ServiceProcess;
beforeAll(async () => {
  service = await ServiceProcess.start({ env: { LOG_LEVEL: 'debug' } });
});
afterAll(() => service.dispose());

/** A request that is logged; its id. */
async function ask(): Promise<string> {
  const { status, headers } = await service.client().get('/runs/none');
  expect(status).toBe(404);
  return String(headers['x-request-id']);
}

const linesOf = (ids: readonly string[]): number => {
  const told = new Set(service.output.match(/(?<="request":")req_\w+/g));
  return ids.filter((id) => told.has(id)).length;
};

it('goes on while nobody reads its log lines, and writes them when somebody does', async () => {
  service.isHeard = false;
  const ids: string[] = [];
  while (ids.length < REQUESTS) ids.push(await ask());
  expect(linesOf(ids)).toBeLessThan(REQUESTS);
  service.isHeard = true;
  await until(
    () => linesOf(ids) === REQUESTS,
    () => linesOf(ids),
  );
});

it('has written all its lines when it ends', async () => {
  const id = await ask();
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
  expect(linesOf([id])).toBe(1);
  expect(service.output).toContain('"stopped"');
});

/** Logs for as long as nothing is lost, and some more; then says so. */
const TALKATIVE = `
  import { PinoLogger } from './dist/apps/server/src/observability/pino-logger.js';
  const logger = new PinoLogger();
  const text = 'x'.repeat(1000);
  for (let n = 0; n < 10_000; n++) {
    logger.info({ n, text }, 'talk');
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  process.send('said');`;

it('keeps some megabytes of what nobody reads, and says how many lines were lost', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', TALKATIVE], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  const lines = (await text(child.stdout!)).trimEnd().split('\n');
  const lost = JSON.parse(lines.pop() ?? '') as { msg: string; lines: number };
  expect(lost.msg).toBe('log lines were lost: nobody read them');
  expect(lines.length).toBeGreaterThan(4_000);
  expect(lines.length + lost.lines).toBe(10_000);
});
