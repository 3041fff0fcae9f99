import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelFailure, type ModelRequest } from '#agent';
import { isEndType } from '#domain';
import { MemoryFileStore } from '#vault';
import type { HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { lastUserOf, stepAsked } from '../../../test/support/run-script.js';
import { done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';
import {
  DIAMOND,
  type InStep,
  WORK,
  WorkflowHouse,
  configOf,
  says,
  stepLines,
} from '../../../test/support/workflow-house.js';
import { stepOf } from '../../../test/support/workflows.js';

let temp: TempLog;
let boots = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const open = (inStep?: InStep, options?: Partial<HouseOptions>) =>
  new WorkflowHouse(temp, `ends ${++boots}`, inStep, options);

const refused = () => new ModelFailure('refused', 'not today');
const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const SECOND = 1000;

describe('a step that fails', () => {
  it.each([
    ['none', [0, 0, 0]],
    ['fixed', [700, 700, 700]],
    ['linear', [700, 1400, 2100]],
    ['exponential', [700, 1400, 2800]],
  ] as const)('is tried again, and waits as backoff %s says', async (backoff, waits) => {
    const work = open((_, n) => (n < 3 ? [refused()] : says('at last')));
    const retry_policy = { max_attempts: 4, backoff, initial_delay_ms: 700 };
    const { clock } = work.house;
    const ended = work.run(configOf([stepOf('a', [], { retry_policy })]));
    const began = clock.now();
    for (const [n, wait] of waits.entries()) {
      await work.house.model.asked(n + 2);
      if (wait > 0) expect(await clock.pass(10 * SECOND)).toBe(wait);
    }
    const { lines, events } = await ended;
    expect(stepLines(lines)).toEqual([
      'started a 1',
      'started a 2',
      'started a 3',
      'started a 4',
      'completed a 4',
    ]);
    expect(clock.now() - began).toBe(waits.reduce<number>((sum, wait) => sum + wait, 0));
    const failed = events.filter(({ type }) => type === 'workflow_attempt_failed');
    expect(failed.map(({ data, time }) => (data as { next_at: number }).next_at - time)).toEqual([
      ...waits,
    ] as number[]);
  });

  it('waits while the others go on', async () => {
    const work = open((step, n) => (step === 'a' && n === 0 ? [refused()] : says(`output of ${step}`)));
    const retry_policy = { max_attempts: 2, backoff: 'fixed' } as const;
    const config = configOf([stepOf('a', [], { retry_policy }), stepOf('b'), stepOf('c', ['b'])]);
    const started = await work.house.start('hi', { config });
    expect(await work.house.clock.timerWithin(SECOND)).toBe(SECOND);
    const isOfC = ({ data }: { data: object }) => 'step_id' in data && data.step_id === 'c';
    await work.house.heard(
      started.session,
      (event) => event.type === 'workflow_step_completed' && isOfC(event),
    );
    work.house.clock.advance(SECOND);
    await work.house.ended(started);
    expect(stepLines((await work.read(started)).lines)).toEqual([
      'started a 1',
      'started b 1',
      'completed b 1',
      'started c 1',
      'completed c 1',
      'started a 2',
      'completed a 2',
    ]);
  });

  it('gets the errors of an output that does not validate with its next attempt', async () => {
    const work = open((_, n) => says(n === 0 ? '{"n":"six"}' : '{"n":6}'));
    const retry_policy = { max_attempts: 2, backoff: 'none' } as const;
    const { lines } = await work.run(configOf([stepOf('a', [], { retry_policy, output_schema: number })]));
    const [first, second] = work.requests('a').map(lastUserOf);
    expect(first).toContain(JSON.stringify(number));
    expect(first).not.toContain('failed');
    expect(second).toMatch(/\/n[^]*integer/);
    expect(second).toContain('do a');
    expect(stepLines(lines)).toEqual(['started a 1', 'started a 2', 'completed a 2']);
    expect(work.answer).toMatchObject({ steps: [{ status: 'completed', output: '{"n":6}' }] });
  });

  it('for good lets the running ones finish, starts no others, and is told', async () => {
    const work = open((step) => (step === 'a' ? [refused()] : says(`output of ${step}`)));
    const { lines } = await work.run(
      configOf([stepOf('a'), stepOf('b'), stepOf('c', ['b']), stepOf('d', ['a'])]),
    );
    expect(work.requests('c')).toEqual([]);
    expect(stepLines(lines)).toEqual([
      'started a 1',
      'started b 1',
      'failed a 1',
      'skipped c 0',
      'skipped d 0',
      'completed b 1',
    ]);
    expect(work.answer).toEqual({
      workflow_id: 'w',
      status: 'failed',
      steps: [
        { id: 'a', status: 'failed', errors: ['not today'] },
        { id: 'b', status: 'completed', output: 'output of b' },
        { id: 'c', status: 'skipped', errors: ['the workflow failed at step a before it started'] },
        { id: 'd', status: 'skipped', errors: ['the workflow failed at step a before it started'] },
      ],
    });
    expect(lines.at(-1)).toBe('completed');
  });

  it('is skipped where it is optional, with all that needs it, and the rest goes on', async () => {
    const work = open((step) => (step === 'a' ? [refused()] : says(`output of ${step}`)));
    const steps = [stepOf('a', [], { optional: true }), stepOf('b', ['a']), stepOf('c', ['b']), stepOf('d')];
    const { lines } = await work.run(configOf([...steps, stepOf('e', ['d'])]));
    expect(stepLines(lines).toSorted()).toEqual([
      'completed d 1',
      'completed e 1',
      'skipped a 1',
      'skipped b 0',
      'skipped c 0',
      'started a 1',
      'started d 1',
      'started e 1',
    ]);
    expect(work.answer).toMatchObject({ status: 'completed' });
  });

  it('because the model is gone is asked for as often as any turn before that counts', async () => {
    const work = open((_, n) => (n < 2 ? [new ModelFailure('transient', 'busy')] : says('back')));
    const ended = work.run(configOf([stepOf('a')]));
    for (let n = 0; n < 2; n++) await work.house.clock.pass(10 * SECOND);
    const { lines, events } = await ended;
    expect(stepLines(lines)).toEqual(['started a 1', 'completed a 1']);
    expect(events.filter(({ type }) => type === 'model_turn_failed')).toHaveLength(2);
  });
});

describe('a run that ends in the middle of a workflow', () => {
  const quiet = async (work: WorkflowHouse) => {
    await work.house.settled();
    for (let n = 0; n < 5; n++) await new Promise(setImmediate);
  };

  it('because it is cancelled stops model and tools, and writes nothing behind its end', async () => {
    const stopped: string[] = [];
    const slow = new LedgerTool('slow', {
      act: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.push('slow');
            reject(signal.reason as Error);
          });
        }),
    });
    const work = open((step) => (step === 'a' ? [text('hm'), 'hang'] : [done(toolCall('x', 'slow'))]), {
      tools: [slow],
    });
    const started = await work.house.start('hi', { config: configOf(DIAMOND) });
    while (slow.calls.length === 0) await new Promise(setImmediate);
    await work.house.model.asked(3);
    await work.house.cancel(started);
    await work.house.ended(started);
    await quiet(work);
    const { lines, events } = await work.read(started);
    expect(lines.slice(-3)).toEqual(['tool_use slow', 'cost 0', 'cancelled']);
    expect(isEndType(events.at(-1)?.type ?? '')).toBe(true);
    expect(stopped).toEqual(['slow']);
    expect(work.house.errors).toEqual([]);
    await work.house.run('again', { session: started.session, config: {} });
  });

  it('because it is cancelled between two attempts does not wait', async () => {
    const work = open(() => [refused()]);
    const retry_policy = { max_attempts: 3, backoff: 'fixed', initial_delay_ms: 60_000 } as const;
    const started = await work.house.start('hi', { config: configOf([stepOf('a', [], { retry_policy })]) });
    await work.house.clock.timerWithin(60_000);
    await work.house.cancel(started);
    await work.house.ended(started);
    expect((await work.read(started)).lines.at(-1)).toBe('cancelled');
  });

  it('because its time is over says so, and writes nothing behind its end', async () => {
    const work = open((step) => (step === 'a' ? ['hang'] : says('quick')));
    const started = await work.house.start('hi', { config: configOf(DIAMOND) });
    await work.house.heard(started.session, ({ type }) => type === 'workflow_step_completed');
    work.house.clock.advance(600 * SECOND);
    await work.house.ended(started);
    await quiet(work);
    const { lines, events } = await work.read(started);
    expect(stepLines(lines)).toEqual(['started a 1', 'started b 1', 'completed b 1']);
    expect(lines.slice(-2)).toEqual(['cost 0', 'error timeout the run took longer than 600 s']);
    expect(isEndType(events.at(-1)?.type ?? '')).toBe(true);
  });

  it('with two workflows under way ends both', async () => {
    const calls = [WORK, { ...WORK, id: 'w2' }];
    const script = (request: ModelRequest) =>
      stepAsked(request) === null ? [done(...calls)] : [text('hm'), 'hang' as const];
    const work = open(undefined, { script });
    const started = await work.house.start('hi', { config: configOf([stepOf('a')]) });
    await work.house.model.asked(3);
    await work.house.cancel(started);
    await work.house.ended(started);
    await quiet(work);
    const { events } = await work.read(started);
    expect(events.at(-1)?.type).toBe('agent_cancelled');
  });

  it('because a result cannot be kept leaves nothing at work behind it', async () => {
    class FullStore extends MemoryFileStore {
      override put(): Promise<string> {
        return Promise.reject(new Error('no space'));
      }
    }
    const large = new LedgerTool('large', { act: () => Promise.resolve('x'.repeat(200_000)) });
    const stopped: unknown[] = [];
    const slow = new LedgerTool('slow', {
      act: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.push(signal.reason);
            reject(signal.reason as Error);
          });
        }),
    });
    const calls = [toolCall('c1', 'slow'), toolCall('c2', 'large')];
    const house = open(undefined, {
      script: [[done(...calls)]],
      tools: [large, slow],
      files: new FullStore(),
    }).house;
    const started = await house.start('hi');
    const end = await house.ended(started);
    expect(end.data).toMatchObject({ code: 'internal' });
    expect(stopped).toHaveLength(1);
  });
});
