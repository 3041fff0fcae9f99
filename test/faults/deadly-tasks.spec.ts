import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { survive } from '../reliability/survive.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const DIE_AT_WORDS = resolve('test/e2e/hooks/die-at-words.ts');

interface Task {
  readonly status: string;
  readonly next_run_at: string | null;
  readonly firings: readonly {
    readonly run_id: string | null;
    readonly error?: { readonly code: string; readonly message: string };
  }[];
}

let service: ServiceProcess;
beforeEach(async () => {
  const env = { DIE_AT_WORDS: 'fired:poison' };
  service = await ServiceProcess.start({ imports: [DIE_AT_WORDS], env });
});
afterEach(() => service.dispose());

const schedule = async (message: string): Promise<string> => {
  const schedules = [{ schedule: 1, message }];
  const answer = await service.client().post('/', { message: 'Hello', background: true, schedules });
  expect(answer.status).toBe(202);
  return answer.json<{ task_ids: string[] }>().task_ids[0] ?? '';
};
const taskOf = async (task: string): Promise<Task> =>
  (await service.client().get(`/tasks/${task}`)).json<Task>();
/** null: there is no service at the moment, or no such run. */
const runOf = async (task: string): Promise<string | null> => {
  const [firing] = (await taskOf(task)).firings;
  const run = await service.client().get(`/runs/${firing?.run_id ?? 'none'}`);
  return run.status === 200 ? String(run.json()['status']) : null;
};
const whenThere = (look: () => Promise<boolean>): Promise<void> => until(() => look().catch(() => false));

describe('a task whose firing ends the process', () => {
  it('is given up after three deaths, its owner sees why, and what fires beside it and later has its runs', async () => {
    const beside = await schedule('harmless');
    const deadly = await schedule('poison');
    const isGivenUp = whenThere(async () => (await taskOf(deadly)).firings[0]?.error !== undefined);
    expect(await survive(service, isGivenUp)).toBe(3);
    const { status, next_run_at, firings } = await taskOf(deadly);
    expect([status, next_run_at, firings.length]).toEqual(['finished', null, 1]);
    expect(firings[0]?.error).toEqual({ code: 'internal', message: expect.stringMatching(/ended, again/) });
    expect(await runOf(deadly)).toBeNull();
    await whenThere(async () => (await runOf(beside)) === 'completed');
    // Nobody comes back to it, at a start either.
    await service.restart('SIGKILL');
    const later = await schedule('harmless, later');
    await whenThere(async () => (await runOf(later)) === 'completed');
    expect(service.isRunning).toBe(true);
    expect((await taskOf(deadly)).firings).toEqual(firings);
  });
});
