import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAiModelClient } from '#openai-model';
import { EraVerdicts, openMcpTools } from '#mcp';
import { type Tool, type Toolbox, type ToolboxRequest, Toolboxes } from '#agent';
import { isEndType, sessionStream } from '#domain';
import { MemoryFileStore } from '#vault';
import { SqliteEventLog } from '#event-log';
import {
  EgressGuard,
  ProcessBackground,
  SilentLogger,
  SystemClock,
  SystemRandom,
  readEgressAllow,
} from '#platform';
import { type Core, openCore } from '#runs';
import { median } from '../support/median.js';
import { LOCAL_SCHEMAS } from '../support/local-schemas.js';

/**
 * CPU of a whole run of two model turns: with a tool of our own, and with the same tool behind an MCP server of either era
 * that the run connects to, lists, calls and leaves. Goals: with MCP at most twice as much, plus the call; 200 tools at most
 * 2 ms more a turn. Rounds alternate, because other work on the machine moves every figure.
 */
const ROUNDS = 9;
const RUNS = 60;
const WARM_UP = 150;

interface Peers extends Readonly<Record<Server, string>> {
  readonly model: string;
}

type Server = 'legacy' | 'modern' | 'legacyMany' | 'modernMany';
type Kind = 'own' | 'ownMany' | Server | 'legacyNew' | 'modernNew' | Alone;
type Alone = 'legacyCall' | 'modernCall' | 'legacyVisit' | 'modernVisit';

/** In the order in which they are measured and told. */
const KINDS: Readonly<Record<Kind, string>> = {
  own: 'two turns, a tool of our own',
  legacy: 'two turns, the tool over MCP of 2025-11-25',
  modern: 'two turns, the tool over MCP of 2026-07-28',
  legacyNew: '… 2025-11-25, found out anew',
  modernNew: '… 2026-07-28, found out anew',
  legacyCall: '… of which the call itself, 2025-11-25',
  modernCall: '… of which the call itself, 2026-07-28',
  legacyVisit: 'connect, list, call, leave: 2025-11-25',
  modernVisit: 'connect, list, call, leave: 2026-07-28',
  ownMany: 'two turns, 200 tools of our own',
  legacyMany: 'two turns, 200 tools over MCP of 2025-11-25',
  modernMany: 'two turns, 200 tools over MCP of 2026-07-28',
};
const isAlone = (kind: Kind): kind is Alone => /Call$|Visit$/.test(kind);
const kinds = Object.keys(KINDS) as Kind[];

const clock = new SystemClock();
const logger = new SilentLogger();
const background = new ProcessBackground(logger);
const egress = new EgressGuard(readEgressAllow('127.0.0.1'));
const own = (name: string): Tool => ({
  definition: {
    name,
    description: `Looks something up (${name}).`,
    parameters: { type: 'object', properties: {} },
  },
  isRepeatable: true,
  call: () => Promise.resolve({ content: 'lookup did {"text":"hello"}' }),
});

class BenchToolboxes extends Toolboxes {
  kind: Kind = 'own';
  private readonly verdicts = new EraVerdicts();
  private readonly ours = [own('lookup')];
  private readonly many = Array.from({ length: 200 }, (_, n) => own(`lookup_${n}`));

  constructor(private readonly peers: Peers) {
    super();
  }

  override open(_request: ToolboxRequest, signal: AbortSignal): Promise<Toolbox> {
    const { kind } = this;
    const close = () => Promise.resolve();
    if (kind === 'own') return Promise.resolve({ tools: this.ours, close });
    if (kind === 'ownMany') return Promise.resolve({ tools: this.many, close });
    if (isAlone(kind)) throw new Error('that is no run');
    const isNew = kind === 'legacyNew' || kind === 'modernNew';
    const serverUrl = this.peers[isNew ? (kind === 'legacyNew' ? 'legacy' : 'modern') : kind];
    const auth = { type: 'bearer', token: 'a-token-of-the-caller' } as const;
    const verdicts = isNew ? new EraVerdicts() : this.verdicts;
    const ports = { session: 'ses_1', egress, clock, logger, verdicts };
    return openMcpTools([{ serverName: 'records', serverUrl, auth }], ports, signal);
  }
}

export async function run(folder = process.cwd()): Promise<void> {
  const { child, peers } = await startPeers();
  const scratch = mkdtempSync(join(folder, '.bench-mcp-'));
  const log = await SqliteEventLog.open({ folder: scratch, logger, reserveBytes: 0 });
  try {
    const toolboxes = new BenchToolboxes(peers);
    const model = new OpenAiModelClient({ baseUrl: peers.model, apiKey: '' });
    const core = openCore(
      {
        log,
        model,
        toolboxes,
        schemas: LOCAL_SCHEMAS,
        clock,
        logger,
        files: new MemoryFileStore(),
        random: new SystemRandom(),
        background,
      },
      {
        models: { flash: 'scripted', base: 'scripted', max: 'scripted' },
        maxRuns: 10,
        maxSteps: 10,
        runTimeoutMs: 60_000,
        replica: 'r1',
        idempotencySecret: new Uint8Array(32),
      },
    );
    const alone: Readonly<Record<Alone, () => Promise<unknown>>> = {
      legacyCall: await callsTo(peers.legacy),
      modernCall: await callsTo(peers.modern),
      legacyVisit: visitsTo(peers.legacy),
      modernVisit: visitsTo(peers.modern),
    };
    report(await measure(core, log, toolboxes, alone));
  } finally {
    await log.close();
    rmSync(scratch, { recursive: true });
    child.disconnect();
  }
}

/** Makes one call over a connection that is open already. */
async function callsTo(serverUrl: string): Promise<() => Promise<unknown>> {
  const { signal } = new AbortController();
  const { tools } = await openMcpTools(
    [{ serverName: 'records', serverUrl }],
    { session: 'ses_1', egress, clock, logger },
    signal,
  );
  return async () => tools[0]?.call({ text: 'hello' }, signal);
}

/** All that a run does with a server of which it is known what it speaks. */
function visitsTo(serverUrl: string): () => Promise<unknown> {
  const { signal } = new AbortController();
  const ports = { session: 'ses_1', egress, clock, logger, verdicts: new EraVerdicts() };
  return async () => {
    const mcp = await openMcpTools([{ serverName: 'records', serverUrl }], ports, signal);
    await mcp.tools[0]?.call({ text: 'hello' }, signal);
    await mcp.close();
  };
}

async function measure(
  core: Core,
  log: SqliteEventLog,
  toolboxes: BenchToolboxes,
  alone: Readonly<Record<Alone, () => Promise<unknown>>>,
): Promise<Map<Kind, number[]>> {
  const results = new Map(kinds.map((kind) => [kind, [] as number[]]));
  const once = (kind: Kind) => (isAlone(kind) ? alone[kind]() : oneRun(core, log));
  for (const kind of kinds) {
    toolboxes.kind = kind;
    for (let n = 0; n < WARM_UP; n++) await once(kind);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [kind, values] of results) {
      toolboxes.kind = kind;
      const before = process.cpuUsage();
      for (let n = 0; n < RUNS; n++) await once(kind);
      const { user, system } = process.cpuUsage(before);
      values.push((user + system) / 1000 / RUNS);
    }
  }
  return results;
}

async function oneRun(core: Core, log: SqliteEventLog): Promise<void> {
  const { session } = await core.startRun.start({
    project: 'default',
    actor: 'key_1',
    message: 'Look it up, please.',
    mode: 'base',
    config: { streaming_tokens: true },
    onBusy: 'enqueue',
    trigger: 'request',
  });
  const stop = new AbortController();
  for await (const events of log.subscribeStream(sessionStream(session), { signal: stop.signal })) {
    const end = events.find((event) => isEndType(event.type));
    if (end && end.type !== 'agent_completed') throw new Error(`the run ended as ${end.type}`);
    if (end) break;
  }
  stop.abort(new Error('enough'));
  await background.settled();
}

async function startPeers(): Promise<{ child: ChildProcess; peers: Peers }> {
  const script = join(import.meta.dirname, '../support/mcp-servers/bench-peers.js');
  const child = fork(script, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const line = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.stdout?.once('data', (bytes: Buffer) => resolve(bytes.toString()));
  });
  return { child, peers: JSON.parse(line) as Peers };
}

function report(results: ReadonlyMap<Kind, readonly number[]>): void {
  const medianOf = (kind: Kind) => median(results.get(kind) ?? []);
  const title = `CPU of a run, medians of ${ROUNDS} rounds of ${RUNS}`;
  console.log(`${title.padEnd(48)}        ms   of the first`);
  for (const kind of kinds) {
    const ms = medianOf(kind);
    const share = (ms / medianOf('own')).toFixed(2);
    console.log(`${KINDS[kind].padEnd(48)}${ms.toFixed(2).padStart(10)}${share.padStart(15)}`);
  }
  for (const [version, one, call, many] of [
    ['2025-11-25', 'legacy', 'legacyCall', 'legacyMany'],
    ['2026-07-28', 'modern', 'modernCall', 'modernMany'],
  ] as const) {
    const ratio = (medianOf(one) - medianOf(call)) / medianOf('own');
    const perTurn = (medianOf(many) - medianOf(one)) / 2;
    console.log(
      `${version}: without the call ${ratio.toFixed(2)} times the first (goal: at most 2); ` +
        `200 tools instead of one ${perTurn.toFixed(2)} ms a turn, listing them included (goal: at most 2)`,
    );
  }
}

if (process.argv[1]?.endsWith('mcp.bench.js')) {
  await run(process.argv[2]);
  process.exit(0);
}
