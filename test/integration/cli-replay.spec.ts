import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChatRequest, textOf } from '#demo-model';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { Gate, type ScriptedTurn, before, call, delay, refusal } from '../support/scripted-turn.js';
import type { Ended } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { used } from '../support/used-tokens.js';
import { until } from '../support/until.js';

interface Listed {
  readonly replay_of: string | null;
}

interface Line {
  readonly run: string;
  readonly replay: string | null;
}

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const RUNS = 8;
/** Tokens of each of two turns. */
const USAGE = { input: 1000, output: 100 };

let stage: Stage;
let shop: McpFixture;
let folder: string;
let recorded: Ended[];
let window: readonly string[];
/** Holds replays whose prompt says HELD in their first turn. */
let gate: Gate | null = null;
const children = new Set<ChildProcess>();

/** What the model says: it looks its number up, and says it, but for what the system prompt asks. */
function script({ messages }: ChatRequest): ScriptedTurn {
  const system = textOf(messages[0]);
  const n = Number(/#(\d+)/.exec(textOf(messages.findLast(({ role }) => role === 'user')))?.[1]);
  const isAnswered = messages.some(({ role }) => role === 'tool');
  const isOther = system.includes('OTHER');
  if (isOther && n === 4) return refusal(400, 'no such thing');
  if (!isAnswered) {
    const held = gate !== null && system.includes('HELD') ? [before(gate)] : [delay(20)];
    return { steps: [...held, ...call(0, 'c', 'look', { n: isOther && n < 2 ? 99 : n })], usage: USAGE };
  }
  return { steps: [isOther && (n === 2 || n === 3) ? 'another' : `it is ${n}`], usage: USAGE };
}

beforeAll(async () => {
  shop = await McpFixture.start({
    tools: [{ name: 'look', run: () => ({ content: [{ type: 'text', text: 'found' }] }) }],
  });
  const models = { MODEL_FLASH: 'gpt-5-nano', MODEL_BASE: 'gpt-5-mini', MODEL_MAX: 'gpt-5' };
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1', ...models } });
  stage.model.script(script);
  folder = mkdtempSync(join(tmpdir(), 'annals-replay-'));
  await stage.client.runToEnd('before #0');
  const from = new Date().toISOString();
  recorded = [];
  for (let n = 0; n < RUNS; n++)
    recorded.push(
      await stage.client.runToEnd({
        message: `look #${n}`,
        mcp_servers: [{ serverName: 'shop', serverUrl: shop.url }],
      }),
    );
  window = ['--from', from, '--to', '2099-01-01'];
});
afterEach(() => {
  gate?.open();
  gate = null;
  for (const child of children) child.kill('SIGKILL');
});
afterAll(async () => {
  await stage.close();
  await shop.close();
  rmSync(folder, { recursive: true });
});

function start(words: readonly string[]): ChildProcess & { readonly said: Promise<Said> } {
  const program = resolve('dist/apps/server/src/cli/main.js');
  const child = spawn(resolve('node_modules/.bin/node'), [program, 'replay', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      ENV_FILE: '/dev/null',
      ANNALS_URL: stage.service.origin,
      ANNALS_KEY: ADMIN_KEY,
    },
  });
  children.add(child);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const said = once(child, 'close').then(([code]) => {
    children.delete(child);
    return { code: code as number | null, out, err };
  });
  return Object.assign(child, { said });
}

const replay = (words: readonly string[]): Promise<Said> => start(words).said;

let files = 0;
function evaluation(system: string): { readonly out: string; readonly words: readonly string[] } {
  const [out, prompt] = [join(folder, `out-${++files}.jsonl`), join(folder, `system-${files}`)];
  writeFileSync(prompt, system);
  return { out, words: [...window, '--out', out, '--system', prompt] };
}

/** Of a file that is being written, too. */
const linesOf = (out: string): Line[] =>
  (existsSync(out) ? readFileSync(out, 'utf8') : '')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as Line);

const replaysNow = async (): Promise<number> =>
  (await stage.client.all<Listed>('/runs')).filter(({ replay_of }) => replay_of !== null).length;

describe('annals replay', () => {
  it('replays the runs of a time, a bounded number at once, and says how they compare', async () => {
    const { out, words } = evaluation('OTHER');
    const calls = shop.calls.length;
    stage.model.maxConcurrent = 0;
    const { code, out: table, err } = await replay([...words, '--parallel', '2']);
    expect([code, err]).toEqual([0, expect.stringContaining('100%')]);
    expect(stage.model.maxConcurrent).toBeLessThanOrEqual(2);
    expect(shop.calls).toHaveLength(calls);
    const lines = linesOf(out);
    expect(lines.map(({ run }) => run).toSorted()).toEqual(recorded.map(({ run_id }) => run_id).toSorted());
    const of = (n: number) => lines.find(({ run }) => run === recorded[n]!.run_id);
    const cost = recorded[7]!.cost;
    expect(of(7)).toEqual({
      run: recorded[7]!.run_id,
      replay: expect.stringMatching(/^run_/),
      status: 'completed',
      same_response: true,
      same_tool_calls: true,
      same_final_output: true,
      drift: 0,
      cost: { a: cost, b: cost },
      usage: { a: used(1), b: used(1) },
      ms: { a: expect.any(Number), b: expect.any(Number) },
    });
    expect(of(0)).toMatchObject({ same_response: true, same_tool_calls: false, drift: 1 });
    expect(of(2)).toMatchObject({ same_response: false, same_tool_calls: true, drift: 0 });
    expect(of(4)).toMatchObject({
      status: 'failed',
      same_response: false,
      error: { code: 'model_unavailable' },
    });
    const again = await replay([...words, '--json']);
    expect(JSON.parse(again.out)).toEqual({
      runs: 8,
      compared: 8,
      left: 0,
      not_replayed: 0,
      failed: { count: 1, rate: 0.125 },
      same_answer: { count: 5, rate: 0.625 },
      same_tool_calls: { count: 5, rate: 0.625 },
      same_final_output: { count: 8, rate: 1 },
      drift: { count: 2, rate: 0.25, calls: 2 },
      cost: { a: times(cost, 8), b: times(cost, 7) },
      usage: {
        a: used(8),
        b: used(7),
      },
      median_ms: { a: expect.any(Number), b: expect.any(Number) },
    });
    expect(table.replaceAll(/ +/g, ' ').split('\n').slice(0, 12)).toEqual([
      'runs 8',
      'same answer 5 (62.5 %)',
      'same tool calls 5 (62.5 %)',
      'same final output 8 (100.0 %)',
      'drift 2 (25.0 %), calls: 2',
      'failed 1 (12.5 %)',
      'not replayed 0',
      '',
      ' then replayed',
      `cost, USD ${times(cost, 8)} ${times(cost, 7)}`,
      'input tokens 16000 14000',
      'output tokens 1600 1400',
    ]);
  });

  it('takes the runs of one session, or of another status, and none of the replays', async () => {
    const { session, run_id } = recorded[3]!;
    const one = evaluation('x');
    expect((await replay([...one.words, '--session', session])).code).toBe(0);
    expect(linesOf(one.out).map(({ run }) => run)).toEqual([run_id]);
    const none = evaluation('x');
    const failed = await replay([...none.words, '--status', 'cancelled', '--json']);
    expect([failed.code, JSON.parse(failed.out)]).toMatchObject([
      0,
      { runs: 0, same_answer: { count: 0, rate: null }, median_ms: { a: null, b: null } },
    ]);
  });

  it('goes on behind a kill -9, and replays nothing twice', async () => {
    const { out, words } = evaluation('KILLED');
    const had = await replaysNow();
    const first = start([...words, '--parallel', '2']);
    await until(() => linesOf(out).length >= 2);
    first.kill('SIGKILL');
    await first.said;
    expect(linesOf(out).length).toBeLessThan(RUNS);
    appendFileSync(out, '{"run":"run_half');
    const { code } = await replay([...words, '--parallel', '3']);
    expect(code).toBe(0);
    expect(new Set(linesOf(out).map(({ run }) => run)).size).toBe(RUNS);
    expect(linesOf(out)).toHaveLength(RUNS);
    expect((await replaysNow()) - had).toBe(RUNS);
  });

  it('ends at Ctrl-C, and joins what was under way when it goes on', async () => {
    const { out, words } = evaluation('HELD');
    const had = await replaysNow();
    gate = new Gate();
    const held = start(words);
    await gate.reached;
    held.kill('SIGINT');
    const { code, err } = await held.said;
    expect([code, err]).toEqual([130, expect.stringMatching(/interrupted: 8 of 8 runs are left/)]);
    gate.open();
    expect((await replay(words)).code).toBe(0);
    expect(linesOf(out)).toHaveLength(RUNS);
    expect((await replaysNow()) - had).toBe(RUNS);
  });

  it('starts nothing more at its budget, and goes on with a larger one', async () => {
    const { out, words } = evaluation('PAID');
    const cost = Number(recorded[0]!.cost);
    const limited = [...words, '--parallel', '1', '--budget', (cost * 2.5).toFixed(9)];
    const stopped = await replay(limited);
    expect(stopped.code).toBe(3);
    expect(stopped.err).toMatch(/the budget is spent \(0\.\d+ USD\): 5 of 8 runs are left/);
    expect(stopped.out).toMatch(/^left +5$/m);
    expect(linesOf(out)).toHaveLength(3);
    expect((await replay(limited)).code).toBe(3);
    expect(linesOf(out)).toHaveLength(3);
    expect((await replay([...words, '--budget', '1'])).code).toBe(0);
    expect(linesOf(out)).toHaveLength(RUNS);
  });

  it('writes down what cannot be replayed, and outlasts a restart of the service', async () => {
    const gone = await stage.client.runToEnd('gone #9');
    const { out, words } = evaluation('HELD');
    // Newest first: this one is under way while the other is erased.
    await stage.client.runToEnd('newer #10');
    gate = new Gate();
    const held = start([...words, '--parallel', '1']);
    await gate.reached;
    await stage.client.call('DELETE', `/sessions/${gone.session}`);
    await stage.service.restart('SIGKILL', { env: { PORT: String(stage.service.port) } });
    gate.open();
    const { code, out: table } = await held.said;
    expect(code).toBe(0);
    expect(table).toMatch(/^runs +10$/m);
    expect(table).toMatch(/^not replayed +1$/m);
    expect(linesOf(out).filter(({ replay: made }) => made === null)).toEqual([
      {
        run: gone.run_id,
        replay: null,
        status: null,
        error: { code: 'not_found', message: expect.any(String) },
      },
    ]);
  });

  it('refuses what it cannot take, and names it', async () => {
    const { words } = evaluation('x');
    writeFileSync(join(folder, 'letter'), 'Dear all,\n');
    expect(await replay([...words, '--mode', 'fastest'])).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^annals: replay: --mode must be flash/),
    });
    expect((await replay([...words, '--session', 'ses_none'])).code).toBe(0);
    for (const [options, message] of [
      [words, /was begun with another --session; name another file/],
      [[...window, '--out', join(folder, 'letter')], /is no file of replays|no JSON/],
      [[...window, '--out', '/nowhere/file'], /cannot be written: ENOENT/],
      [[...evaluation('x').words, '--model', 'm'.repeat(300)], /refuses it \(400\): .*model/],
    ] as const)
      expect(await replay(options)).toEqual({ code: 1, out: '', err: expect.stringMatching(message) });
    expect(readFileSync(join(folder, 'letter'), 'utf8')).toBe('Dear all,\n');
  });
});

const times = (cost: string, n: number): string => String(Number((Number(cost) * n).toFixed(12)));
