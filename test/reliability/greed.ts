import { setTimeout as sleep } from 'node:timers/promises';
import { isEndType } from '#domain';
import type { RecordedEvent } from '#event-log';
import { type ScriptedTurn, say } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { pngOf } from '../support/png-files.js';
import { type ServiceProcess, memoryOf } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { checkConnections, checkWishes } from './check-clients.js';
import { checkSessions } from './check-log.js';
import { StoredContents, readLog } from './evidence.js';
import { MOST_GROWTH } from './growth.js';
import { turnsOf } from './scenarios.js';
import { type RowReport, Verdict, spreadOf } from './verdict.js';
import { Witness } from './witness.js';

const MEGABYTE = 1024 * 1024;
const MAX_RUNS = 250;
const QUEUED = 1_000;
const TURN_MS = 300;
const LOOK_MS = 20;
const GREEDY = 'greedy';
const PLACEHOLDERS = 100_000;
/** As many as a schema has room for. */
const REQUIRED = Array.from({ length: 7_000 }, (_, n) => `k${n}`);
const EMPTY_ITEMS = JSON.stringify(Array.from({ length: 5_000 }, () => ({})));
const LARGE = 'large '.repeat(160_000);
const LARGE_RUNS = 16;
const PICTURE = { width: 8_000, height: 5_000, colours: 'grey' } as const;
const ZONE = 'america/argentina/comodrivadavia';

/** The greedy caller, and what it has that is large. */
interface Greedy {
  readonly client: ServiceClient;
  readonly origin: string;
  readonly key: string;
  readonly session: string;
  readonly datastore: string;
}

interface Kind {
  readonly name: string;
  /** Asks once. @returns the status of the answer */
  readonly ask: (greedy: Greedy, n: number) => Promise<number>;
}

/** 60 KB that are 12^4 times as much work where they are followed one by one. */
const BOMB = {
  $defs: {
    a: { allOf: Array.from({ length: 12 }, () => ({ $ref: '#/$defs/b' })) },
    b: { allOf: Array.from({ length: 12 }, () => ({ $ref: '#/$defs/c' })) },
    c: { allOf: Array.from({ length: 12 }, () => ({ $ref: '#/$defs/d' })) },
    d: { allOf: Array.from({ length: 12 }, () => ({ $ref: '#/$defs/e' })) },
    e: { required: REQUIRED },
  },
  $ref: '#/$defs/a',
};

const statusOf = async (asked: Promise<{ readonly status: number }>): Promise<number> => (await asked).status;

const outputOf = (schema: object): object => ({ name: 'out', schema });

const KINDS: readonly Kind[] = [
  {
    name: 'schemas that are a bomb when they are compiled',
    ask: ({ client }) =>
      statusOf(client.post('/', { message: 'x', background: true, final_output: outputOf(BOMB) })),
  },
  {
    name: 'schemas that are one when a model answers with 5,000 items',
    ask: ({ client }, n) => {
      const schema = { type: 'array', items: { required: REQUIRED } };
      const run = { message: `items ${n}`, final_output: outputOf(schema) };
      return statusOf(client.post('/', run, { headers: { accept: 'application/json' } }));
    },
  },
  {
    name: `queries with ${PLACEHOLDERS} placeholders`,
    ask: ({ client }) => {
      const query = `SELECT ${'?,'.repeat(PLACEHOLDERS)}1`;
      const queries = [{ name: 'q', description: 'q', query }];
      return statusOf(client.post('/', { message: 'x', background: true, queries }));
    },
  },
  {
    name: 'spellings of a time zone, 99 at a time',
    ask: ({ client }, n) => {
      const spelled = (of: number): string =>
        ZONE.split('')
          .map((letter, at) => ((of >> (at % 20)) & 1 ? letter.toUpperCase() : letter))
          .join('');
      const schedules = Array.from({ length: 99 }, (_, i) => ({
        schedule: '30 2 * * *',
        timezone: spelled(n * 99 + i),
        message: 'm',
      }));
      const wrong = { schedule: 'never', message: 'm' };
      return statusOf(client.post('/', { message: 'x', background: true, schedules: [...schedules, wrong] }));
    },
  },
  {
    name: 'names that do not resolve, 10 at a time',
    ask: ({ client }, n) => {
      const mcp_servers = Array.from({ length: 10 }, (_, i) => ({
        serverName: `s${i}`,
        serverUrl: `http://greedy-${n}-${i}.invalid/mcp`,
      }));
      return statusOf(client.post('/', { message: `names ${n}`, background: true, mcp_servers }));
    },
  },
  {
    name: 'histories of 15 MB, 8 at a time, of which nobody reads more than the head',
    ask: async ({ origin, key, session }) => {
      const call = { method: 'POST', headers: { authorization: `Bearer ${key}` } };
      const statuses = Array.from({ length: 8 }, async () => {
        const { status, body } = await fetch(`${origin}/get-messages?session=${session}`, call);
        const reader = body?.getReader();
        await reader?.read();
        await reader?.cancel();
        return status;
      });
      return Math.max(...(await Promise.all(statuses)));
    },
  },
  {
    name: 'pictures of 40 million pixels as documents, 2 at a time',
    ask: async ({ origin, key, datastore }, n) => {
      const headers = { authorization: `Bearer ${key}` };
      const statuses = ['a', 'b'].map(async (name) => {
        const form = new FormData();
        form.append('datastore_id', datastore);
        form.append('file', new Blob([pngOf(PICTURE)]), `${name}${n}.png`);
        return statusOf(fetch(`${origin}/index-document`, { method: 'POST', headers, body: form }));
      });
      return Math.max(...(await Promise.all(statuses)));
    },
  },
];

/** A caller of another project, with a long history and a store of documents. */
async function greedyCaller({ client: admin, service }: Stage): Promise<Greedy> {
  const asked = { name: GREEDY, scopes: ['run', 'read', 'datastores'], project: GREEDY };
  const { key } = (await admin.post('/api-keys', asked)).json<{ key: string }>();
  const client = admin.with(key);
  let session = '';
  for (let n = 0; n < LARGE_RUNS; n++) {
    const run = await client.run(`plain ${n} ${LARGE}`, session === '' ? {} : { session });
    await run.closed();
    if (run.status !== 200) throw new Error(`the run with a long message was answered with ${run.status}`);
    ({ session } = run);
  }
  const store = { name: 'pictures', type: 'documents' };
  const { datastore_id } = (await client.post('/create-datastore', store)).json<{ datastore_id: string }>();
  return { client, origin: service.origin, key, session, datastore: datastore_id };
}

/** F21: one caller asks for what would stop the service for the others, so often of each kind, while others have their runs. */
export async function greed(ofEachKind: number): Promise<RowReport> {
  const env = { MAX_RUNS: String(MAX_RUNS), MAX_BODY_KB: '4096', RATE_LIMIT_RPM: '1000000' };
  const stage = await Stage.open({ env });
  stage.book.find = greedyTurnsOf;
  const { service } = stage;
  const witness = new Witness(service);
  try {
    const greedy = await greedyCaller(stage);
    const verdict = new Verdict();
    const calm = await watched(service, witness, 'calm', async () => {
      for (let n = 0; n < 5; n++) await sleep(TURN_MS);
    });
    const more: Record<string, string> = { 'healthy runs with nothing beside them': spreadOf(calm.waits) };
    for (const { name, ask } of KINDS) {
      const answers = new Map<number, number>();
      const seen = await watched(service, witness, name, async () => {
        for (let n = 0; n < ofEachKind; n++) {
          const status = await ask(greedy, n);
          answers.set(status, (answers.get(status) ?? 0) + 1);
          verdict.require(status < 500, () => `${name}: answered with ${status}`);
        }
      });
      const told = [...answers].map(([status, times]) => `${times} answered with ${status}`).join(', ');
      report(`${name} (${told})`, seen, verdict, more);
    }
    const queue = await watched(service, witness, 'queue', () => queueUp(greedy.client));
    report(`${QUEUED} runs queued behind ${MAX_RUNS}`, queue, verdict, more);
    verdict.require(
      service.startsMs.length === 1,
      () => `the service was started ${service.startsMs.length} times`,
    );
    await service.kill('SIGTERM');
    const log = await readLog(service.dataDir);
    const contents = await StoredContents.open(service.dataDir);
    // The checkers know no final output; of a greedy run it counts that it has ended.
    const others = log.filter(({ meta }) => meta.project !== GREEDY);
    checkSessions(others, verdict);
    checkGreedy(log, verdict);
    checkConnections(witness.connections, log, contents, verdict);
    checkWishes(witness.wishes, log, contents, verdict);
    const overtaken = mostOvertaken(log);
    verdict.require(overtaken <= MAX_RUNS, () => `a run waited while ${overtaken} of another project began`);
    more['runs of the other project that began while a healthy one waited, at most'] = String(overtaken);
    const faults = KINDS.length * ofEachKind + QUEUED;
    const told = Object.entries(more).map(([name, value]) => `  ${name}: ${value}`);
    const line = [`F21 ${faults} requests of a greedy caller: ${verdict.line}`, ...told].join('\n');
    return { faults, verdict, line, measured: { more } };
  } finally {
    witness.giveUp();
    await stage.close();
  }
}

interface Seen {
  /** Milliseconds of each healthy run beside it. */
  readonly waits: readonly number[];
  /** Bytes. */
  readonly growth: number;
}

/** Healthy runs one after the other, and what the process holds, while something is done. */
async function watched(
  service: ServiceProcess,
  witness: Witness,
  name: string,
  work: () => Promise<void>,
): Promise<Seen> {
  const before = memoryOf(service.pid);
  let most = 0;
  const over = new AbortController();
  const waits: number[] = [];
  const done = work().finally(() => over.abort());
  const look = async (): Promise<void> => {
    for (; !over.signal.aborted; await sleep(LOOK_MS)) most = Math.max(most, memoryOf(service.pid) - before);
  };
  const ask = async (): Promise<void> => {
    do {
      const since = performance.now();
      await witness.run(`plain ${name} ${waits.length}`, { body: { streaming_tokens: true } });
      waits.push(performance.now() - since);
    } while (!over.signal.aborted && service.isRunning);
  };
  await Promise.all([done, look(), ask()]);
  return { waits, growth: most };
}

function report(name: string, { waits, growth }: Seen, verdict: Verdict, more: Record<string, string>): void {
  const megabytes = Math.round(growth / MEGABYTE);
  verdict.require(growth < MOST_GROWTH, () => `${name}: memory grew by ${megabytes} MB`);
  more[name] = `${megabytes} MB more; ${waits.length} healthy runs beside them, ${spreadOf(waits)}`;
}

/** Resolves when all of them have ended. */
async function queueUp(client: ServiceClient): Promise<void> {
  for (let n = 0; n < MAX_RUNS + QUEUED; n++) {
    const { status } = await client.post('/', { message: `slow ${n}`, background: true });
    if (status !== 202) throw new Error(`run ${n} was answered with ${status}`);
  }
  const isUnended = async (status: string): Promise<boolean> =>
    (await client.get(`/runs?status=${status}&limit=1`)).json<{ items: unknown[] }>().items.length > 0;
  while ((await isUnended('queued')) || (await isUnended('running'))) await sleep(TURN_MS);
}

/** What the model says in the runs of the greedy caller, and otherwise what the scenarios say. */
function greedyTurnsOf(message: string): ReturnType<typeof turnsOf> {
  if (message.startsWith('items '))
    return [say('One moment.'), ...Array.from({ length: 4 }, () => say(EMPTY_ITEMS))];
  if (!message.startsWith('slow ')) return turnsOf(message);
  return [(): Promise<ScriptedTurn> => sleep(TURN_MS, say('at last'))];
}

function checkGreedy(log: readonly RecordedEvent[], verdict: Verdict): void {
  const own = log.filter(({ meta }) => meta.project === GREEDY);
  const ended = new Set(own.filter(({ type }) => isEndType(type)).map(({ meta }) => meta.run));
  for (const { type, meta } of own)
    if (type === 'run_requested') verdict.require(ended.has(meta.run), () => `${meta.run} has no end`);
}

/** How many runs of the greedy project began while one of another waited: the most of any. */
function mostOvertaken(log: readonly RecordedEvent[]): number {
  const waiting = new Map<string, number>();
  let most = 0;
  for (const { type, meta } of log) {
    const { run = '', project } = meta;
    if (project !== GREEDY && type === 'run_requested') waiting.set(run, 0);
    if (type !== 'run_claimed') continue;
    most = Math.max(most, waiting.get(run) ?? 0);
    waiting.delete(run);
    if (project === GREEDY) for (const [one, count] of waiting) waiting.set(one, count + 1);
  }
  return most;
}
