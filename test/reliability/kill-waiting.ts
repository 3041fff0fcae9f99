import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEndType } from '#domain';
import type { RecordedEvent } from '#event-log';
import { McpFixture } from '../support/mcp-servers/mcp-fixture.js';
import { call, say as saying } from '../support/scripted-turn.js';
import { Stage } from '../support/stage.js';
import { PATIENCE_MS } from '../support/until.js';
import { readLog } from './evidence.js';
import { survive } from './survive.js';
import { DIE_AT_APPEND } from './theatre.js';
import { type RowReport, Verdict, spreadOf } from './verdict.js';

/**
 * From a request on: the run, its turn with what is asked, the park; then, for each decision, the decision, the claim, that
 * the call is begun, its result, the responses, the end. Some more, so that a point behind the end is among them.
 */
const APPENDS = 16;
const STRIKES = Array.from({ length: APPENDS }, (_, i) => [
  { kind: 'sent', nth: i + 1 } as const,
  { kind: 'stored', nth: i + 1 } as const,
]).flat();
type Strike = (typeof STRIKES)[number];

interface ShownAction {
  readonly action_id: string;
  readonly kind: string;
}

/** A run of the shop: what it is named by, and what the model writes into the arguments of its calls. */
interface Purchase {
  readonly run: string;
  readonly order: number;
}

/**
 * F2 with runs that wait: the process is killed at their appends, while they wait and while they are decided on. What is
 * approved is carried out once, or told as unknown; what is denied never.
 */
export async function killWaiting(wanted: number, rotation: number): Promise<RowReport> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-orders-'));
  const paid: string[] = [];
  const shop = await McpFixture.start({ tools: [payTool(paid)], json: true, stateless: true });
  const stage = await Stage.open({
    imports: [DIE_AT_APPEND],
    env: { DIED_FILE: join(folder, 'died'), EGRESS_ALLOW: '127.0.0.1' },
  });
  stage.book.find = turnsOf;
  const verdict = new Verdict();
  const purchases: Purchase[] = [];
  try {
    const from = (rotation * wanted) % STRIKES.length;
    let kills = 0;
    for (let n = 0; kills < wanted && n < 2 * wanted + STRIKES.length; n += 1) {
      const strike = STRIKES[(from + n) % STRIKES.length]!;
      const isOver = buy(stage, shop.url, strike, n).then(async (run) => {
        purchases.push({ run, order: n });
        await decideUntilOver(stage, shop.url, run, verdict);
      });
      kills += await survive(stage.service, isOver);
    }
    await stage.service.kill('SIGTERM');
    const log = await readLog(stage.service.dataDir);
    const unknown = purchases.filter((purchase) => check(log, paid, purchase, verdict)).length;
    const line = `F2 ${kills} kills of runs that wait: ${purchases.length} runs, ${paid.length} calls made, ${unknown} of unknown outcome, ${verdict.problems.length} problems; ready again: ${spreadOf(stage.service.startsMs.slice(1))}`;
    return { faults: kills, verdict, line, measured: { readyMs: stage.service.startsMs.slice(1) } };
  } finally {
    await stage.close();
    await shop.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Counts what is paid, by order: `approve 3`. */
const payTool = (paid: string[]) => ({
  name: 'pay',
  inputSchema: { type: 'object' as const, properties: { order: { type: 'string' } } },
  run: ({ args }: { readonly args: Readonly<Record<string, unknown>> }) => {
    paid.push(String(args['order']));
    return { content: [{ type: 'text' as const, text: `paid ${String(args['order'])}` }] };
  },
});

/** Two calls: one will be approved, the other denied. */
function turnsOf(message: string) {
  const order = /^waits (\d+)/.exec(message)?.[1];
  if (order === undefined) return undefined;
  const calls = ['approve', 'deny'].flatMap((decision, n) =>
    call(n, `call_${n}`, 'pay', { order: `${decision} ${order}` }),
  );
  return [{ steps: calls }, saying('Done.')];
}

const serversAt = (serverUrl: string) => [{ serverName: 'shop', serverUrl }];

async function buy({ client }: Stage, url: string, { kind, nth }: Strike, n: number): Promise<string> {
  const body = {
    message: `waits ${n} <die:${kind}:${nth}:${n}>`,
    background: true,
    mcp_servers: serversAt(url),
    approvals: { tools: { pay: 'ask' } },
  };
  const headers = { 'idempotency-key': `purchase ${n}` };
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
    const answer = await client.post('/', body, { headers }).catch(() => null);
    if (answer !== null && answer.status < 500) return answer.json<{ run_id: string }>().run_id;
  }
  throw new Error('the service does not take the run');
}

/** Decides on all that is asked, again and again, until the run has ended. */
async function decideUntilOver({ client }: Stage, url: string, run: string, verdict: Verdict): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(20)) {
    const known = await client.get(`/runs/${run}`).catch(() => null);
    if (known?.status !== 200) continue;
    if (['completed', 'failed', 'cancelled'].includes(known.json<{ status: string }>().status)) return;
    const open = await client.get(`/actions?status=open&run=${run}`).catch(() => null);
    if (open?.status !== 200) continue;
    const { items } = open.json<{
      items: readonly (ShownAction & { asked: { input?: { order?: string } } })[];
    }>();
    for (const { action_id, kind, asked } of items) {
      const decision = asked.input?.order?.startsWith('deny')
        ? { decision: 'deny' }
        : { decision: 'approve' };
      const body = kind === 'tool_servers' ? { decision: 'supply', mcp_servers: serversAt(url) } : decision;
      await client.post(`/actions/${action_id}/resolve`, body).catch(() => null);
    }
  }
  verdict.note(`${run} did not end`);
}

/** Returns whether the outcome of its approved call is unknown. */
function check(
  log: readonly RecordedEvent[],
  paid: readonly string[],
  { run, order }: Purchase,
  verdict: Verdict,
): boolean {
  const own = log.filter(({ meta, stream }) => meta.run === run && stream.startsWith('session-'));
  const ends = own.filter(({ type }) => isEndType(type));
  verdict.require(ends.length === 1, () => `${run}: ${ends.length} ends`);
  const resolved = own
    .filter(({ type }) => type === 'agent_action_resolved')
    .map(({ data }) => (data as { action_id: string }).action_id);
  verdict.require(new Set(resolved).size === resolved.length, () => `${run}: an action was decided twice`);
  const times = paid.filter((name) => name === `approve ${order}`).length;
  verdict.require(times <= 1, () => `${run}: paid ${times} times`);
  verdict.require(!paid.includes(`deny ${order}`), () => `${run}: paid what was denied`);
  const results = own.filter(({ type }) => type === 'tool_call_completed').map(({ data }) => data);
  const result = results.find((data) => (data as { call_id: string }).call_id === 'call_0');
  const text = result === undefined ? '' : (result as { content: string }).content;
  const isUnknown = text.startsWith('outcome unknown');
  const isAsked = own.some(({ type }) => type === 'agent_action_required');
  // Before anybody was asked, the servers of a run go with its process, and it ends.
  if (isAsked)
    verdict.require(isUnknown || (text === `paid approve ${order}` && times === 1), () => `${run}: ${text}`);
  verdict.acknowledged += own.length;
  return isUnknown;
}
