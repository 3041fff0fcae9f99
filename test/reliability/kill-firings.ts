import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { asTaskEvent, isEndType, taskStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import { Stage } from '../support/stage.js';
import { PATIENCE_MS } from '../support/until.js';
import { readLog } from './evidence.js';
import { turnsOf } from './scenarios.js';
import { survive } from './survive.js';
import { DIE_AT_APPEND } from './theatre.js';
import { type RowReport, Verdict, spreadOf } from './verdict.js';

/** At the n-th append from a request on, not stored or stored: of the one that brings the task, or of the one that it fires. */
interface Strike {
  readonly kind: 'sent' | 'stored';
  readonly in: 'request' | 'firing';
  readonly nth: number;
}

/** From the request on: its run, its task, the slot that is taken. From the firing's on: its run. */
const APPENDS = { request: 7, firing: 3 } as const;

const STRIKES: readonly Strike[] = (['request', 'firing'] as const).flatMap((place) =>
  Array.from({ length: APPENDS[place] }, (_, i) => [
    { kind: 'sent', in: place, nth: i + 1 } as const,
    { kind: 'stored', in: place, nth: i + 1 } as const,
  ]).flat(),
);

/** I7 with a real process: it is killed at the steps of a firing, and each slot fires once. */
export async function killFirings(wanted: number, rotation: number): Promise<RowReport> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-orders-'));
  const stage = await Stage.open({ imports: [DIE_AT_APPEND], env: { DIED_FILE: join(folder, 'died') } });
  stage.book.find = turnsOf;
  const verdict = new Verdict();
  const tasks: string[] = [];
  try {
    const from = (rotation * wanted) % STRIKES.length;
    let kills = 0;
    for (let n = 0; kills < wanted && n < wanted + STRIKES.length; n += 1) {
      const strike = STRIKES[(from + n) % STRIKES.length]!;
      const isOver = start(stage, strike, n).then(async (task) => {
        tasks.push(task);
        await finished(stage, task, verdict);
      });
      kills += await survive(stage.service, isOver);
    }
    await stage.service.kill('SIGTERM');
    const log = await readLog(stage.service.dataDir);
    for (const task of tasks) checkTask(log, task, verdict);
    const line = `F2 ${kills} kills at the steps of firings: ${tasks.length} tasks, ${verdict.problems.length} problems; ready again: ${spreadOf(stage.service.startsMs.slice(1))}`;
    return { faults: kills, verdict, line, measured: { readyMs: stage.service.startsMs.slice(1) } };
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function start({ client }: Stage, strike: Strike, n: number): Promise<string> {
  const order = ` <die:${strike.kind}:${strike.nth}:${n}>`;
  const [own, later] = strike.in === 'request' ? [order, ''] : ['', order];
  const body = {
    message: `plain ${n}${own}`,
    background: true,
    schedules: [{ schedule: 1, message: `plain ${n} fired${later}` }],
  };
  const headers = { 'idempotency-key': `firing ${n}` };
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
    const answer = await client.post('/', body, { headers }).catch(() => null);
    if (answer !== null && answer.status < 500)
      return answer.json<{ task_ids: string[] }>().task_ids[0] ?? '';
  }
  throw new Error('the service does not take the run');
}

/** Resolves when the task has fired and its run is over. */
async function finished({ client }: Stage, task: string, verdict: Verdict): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
    const answer = await client.get(`/tasks/${task}`).catch(() => null);
    if (answer?.status !== 200) continue;
    const { status, firings } = answer.json<{ status: string; firings: { run_id: string | null }[] }>();
    const run = firings[0]?.run_id;
    if (status !== 'finished' || !run) continue;
    const ended = await client.get(`/runs/${run}`).catch(() => null);
    if (ended?.status === 200 && ended.json<{ status: string }>().status === 'completed') return;
  }
  verdict.note(`${task} did not fire, or its run did not end`);
}

function checkTask(log: readonly RecordedEvent[], task: string, verdict: Verdict): void {
  const events = log.filter(({ stream }) => stream === taskStream(task)).map((event) => asTaskEvent(event));
  const types = events.map(({ type }) => type).join(' ');
  verdict.require(types === 'task_scheduled task_fired task_finished', () => `${task}: ${types}`);
  const fired = events.find((event) => event.type === 'task_fired');
  const run = fired?.type === 'task_fired' ? fired.data.run : '';
  const own = log.filter((event) => event.meta.run === run && event.stream.startsWith('session-'));
  const requests = own.filter(({ type }) => type === 'run_requested').length;
  const ends = own.filter(({ type }) => isEndType(type)).length;
  verdict.require(requests === 1 && ends === 1, () => `${run}: ${requests} requests, ${ends} ends`);
  verdict.acknowledged += own.length;
}
