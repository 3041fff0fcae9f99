import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MoneyStage, paidTurn } from '../support/money-stage.js';
import { ADMIN_KEY } from '../support/service-process.js';

let money: MoneyStage;
let folder: string;
beforeAll(async () => {
  money = await MoneyStage.open();
  folder = mkdtempSync(join(tmpdir(), 'annals-replay-budget-'));
});
afterAll(async () => {
  await money.close();
  rmSync(folder, { recursive: true });
});

async function replay(...words: readonly string[]) {
  const program = resolve('dist/apps/server/src/cli/main.js');
  const child = spawn(resolve('node_modules/.bin/node'), [program, 'replay', ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ENV_FILE: '/dev/null',
      ANNALS_URL: money.stage.service.origin,
      ANNALS_KEY: ADMIN_KEY,
    },
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

describe('annals replay where a budget of the service is spent', () => {
  it('leaves the rest, and goes on when it is raised', async () => {
    const { client } = money.stage;
    const { model, message } = { model: money.stage.model, message: 'say it' };
    model.script(() => paidTurn('said'));
    const runs = [];
    for (let n = 0; n < 5; n++) runs.push(await money.start({ message }));
    const put = (limit: string) =>
      client.call('PUT', '/budgets/project/default', { body: { limit, period: 'total' } });
    // 0.003 dollars each: the second replay comes to it.
    await put('0.02');
    const out = join(folder, 'out.jsonl');
    const words = ['--from', '2026-01-01', '--to', '2099-01-01', '--out', out, '--parallel', '1'];
    const refused = await replay(...words);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain(
      'the service refuses more (402): the budget project/default is spent: 0.021 of 0.02 US dollars: ' +
        '3 of 5 runs are left; the same command goes on when that is raised',
    );
    expect(refused.out).toMatch(/^not replayed +0$/m);
    expect(refused.out).toMatch(/^left +3$/m);
    expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(4);
    // As an earlier version wrote it down.
    const error = { code: 'budget_exhausted', message: 'spent' };
    appendFileSync(out, `${JSON.stringify({ run: runs[0]!.run_id, replay: null, status: null, error })}\n`);
    await put('1');
    const { code, out: said } = await replay(...words, '--json');
    expect([code, JSON.parse(said)]).toMatchObject([0, { compared: 5, left: 0, not_replayed: 0 }]);
  });
});
