import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../support/service-process.js';
import { call, say } from '../support/scripted-turn.js';
import { startScriptedModel } from '../support/scripted-model.js';

/** What runs that wait for somebody cost: CPU and memory of an idle service, and its start, beside as many that have ended. */
const RUNS = 10_000;
const AT_ONCE = 32;
const ROUNDS = 3;
const IDLE_MS = 15_000;
/** What was done before the measurement is over: tables written, pages given back. */
const REST_MS = 10_000;

const TOOL = { name: 'ask', description: 'asks', parameters: { type: 'object', properties: {} } };

interface Figures {
  readonly startMs: number;
  readonly cpuPercent: number;
  readonly residentMb: number;
}

export async function run(): Promise<void> {
  const model = await startScriptedModel(({ tools = [] }) =>
    tools.length > 0 ? say(...call(0, 'call_0', 'ask')) : say('Done.'),
  );
  const env = { OPENAI_BASE_URL: model.url, RATE_LIMIT_RPM: '1000000' };
  const services = {
    ended: await ServiceProcess.start({ env }),
    waiting: await ServiceProcess.start({ env }),
  };
  try {
    await fill(services.ended, {});
    await fill(services.waiting, { tools: [TOOL] });
    const rounds: Record<keyof typeof services, Figures[]> = { ended: [], waiting: [] };
    for (let round = 0; round < ROUNDS; round += 1)
      for (const name of ['ended', 'waiting'] as const) {
        await services[name].kill('SIGTERM');
        await services[name].launch();
        rounds[name].push(await measured(services[name]));
        await services[name].kill('SIGTERM');
      }
    for (const [name, figures] of Object.entries(rounds)) print(name, figures);
  } finally {
    for (const service of Object.values(services)) await service.dispose();
    await model.close();
  }
}

async function fill(service: ServiceProcess, body: object): Promise<void> {
  const client = service.client();
  let left = RUNS;
  const work = async (): Promise<void> => {
    while (left-- > 0) await client.post('/', { message: 'go', background: true, ...body });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (;;) {
    const answer = await client.get('/runs?status=running&limit=1');
    const queued = await client.get('/runs?status=queued&limit=1');
    const isQuiet = [answer, queued].every((page) => page.json<{ items: unknown[] }>().items.length === 0);
    if (isQuiet) return;
    await sleep(200);
  }
}

async function measured(service: ServiceProcess): Promise<Figures> {
  const startMs = service.startsMs.at(-1) ?? 0;
  await sleep(REST_MS);
  const before = cpuMsOf(service.pid);
  await sleep(IDLE_MS);
  const cpuPercent = ((cpuMsOf(service.pid) - before) / IDLE_MS) * 100;
  const [, pages = '0'] = readFileSync(`/proc/${service.pid}/statm`, 'utf8').split(' ');
  return { startMs, cpuPercent, residentMb: (Number(pages) * 4096) / 1024 / 1024 };
}

function print(name: string, figures: readonly Figures[]): void {
  const of = (key: keyof Figures, digits: number): string =>
    figures.map((figure) => figure[key].toFixed(digits)).join(' ');
  console.log(
    `${RUNS} runs, ${name}: start ${of('startMs', 0)} ms, idle CPU ${of('cpuPercent', 2)} %, resident ${of('residentMb', 0)} MB`,
  );
}

/** User and system time of a process, at the 100 ticks a second that Linux counts in. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
