import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { median } from '../support/median.js';
import { startScriptedModel } from '../support/scripted-model.js';
import { say } from '../support/scripted-turn.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

/** What a streamed response costs the service, beside the same run by `POST /`: CPU for each run of 50 tokens, by turns. */
const RUNS = 300;
const AT_ONCE = 16;
const ROUNDS = 7;
const TOKENS = 50;
/** Of what `POST /` costs, at most. */
const MOST = 1.25;

interface Door {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** What the last record of the stream holds. */
  readonly end: string;
  readonly cpuMs: number[];
}

const message = 'Say fifty words.';
const DOORS: readonly Door[] = [
  { name: 'POST /', path: '/', body: { message, streaming_tokens: true }, end: 'agent_completed', cpuMs: [] },
  {
    name: 'POST /v1/responses',
    path: '/v1/responses',
    body: { input: message, stream: true },
    end: '[DONE]',
    cpuMs: [],
  },
];

export async function run(): Promise<void> {
  const words = Array.from({ length: TOKENS }, () => 'word ');
  const model = await startScriptedModel(() => say(...words));
  const names = { MODEL_FLASH: 'scripted', MODEL_BASE: 'scripted', MODEL_MAX: 'scripted' };
  const env = { OPENAI_BASE_URL: model.url, ...names, RATE_LIMIT_RPM: '1000000' };
  const service = await ServiceProcess.start({ env });
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  try {
    for (const door of DOORS) await round(service, agent, door);
    for (let n = 0; n < ROUNDS; n++)
      for (const door of n % 2 === 0 ? DOORS : DOORS.toReversed())
        door.cpuMs.push(await round(service, agent, door));
    report();
  } finally {
    agent.destroy();
    await service.dispose();
    await model.close();
  }
}

function report(): void {
  const [plain, face] = DOORS.map(({ cpuMs }) => median(cpuMs)) as [number, number];
  console.log(
    `A streamed run of ${TOKENS} tokens: CPU of the service, median of ${ROUNDS} rounds of ${RUNS}`,
  );
  for (const { name, cpuMs } of DOORS) console.log(`  ${name.padEnd(20)} ${median(cpuMs).toFixed(2)} ms`);
  const ratio = face / plain;
  console.log(`  ratio ${ratio.toFixed(2)}, at most ${MOST}: ${ratio <= MOST ? 'kept' : 'MISSED'}`);
}

/** CPU of the service for each run, in ms. */
async function round(service: ServiceProcess, agent: Agent, door: Door): Promise<number> {
  const since = cpuMsOf(service.pid);
  let left = RUNS;
  const drive = async (): Promise<void> => {
    while (left-- > 0) await once(service.origin, agent, door);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, drive));
  return (cpuMsOf(service.pid) - since) / RUNS;
}

function once(origin: string, agent: Agent, { path, body, end }: Door): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
  const asked = request(origin + path, { method: 'POST', headers, agent }, (answer) => {
    let last = '';
    answer.setEncoding('utf8').on('data', (part: string) => (last = (last + part).slice(-100)));
    answer.on('end', () =>
      last.includes(end) ? resolve() : reject(new Error(`${path} ended with ${last}`)),
    );
    answer.on('error', reject);
  });
  asked.on('error', reject);
  asked.end(JSON.stringify(body));
  return promise;
}

/** Clock ticks are hundredths of a second on all Linux of today. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
