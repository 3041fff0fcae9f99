import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { SCENARIOS, type Scenario } from './scenarios.js';
import { DIE_AT_APPEND, Theatre } from './theatre.js';
import { survive } from './survive.js';
import { type RowReport, spreadOf } from './verdict.js';

/** Where a run is struck: when a client has received its n-th event, or at the n-th append of the process from it on. */
interface KillPoint {
  readonly scenario: Scenario;
  readonly kind: 'received' | 'sent' | 'stored';
  readonly nth: number;
}

const MOST_APPENDS = 12;

/** Every boundary of every scenario, by how many events each has; those next to each other are of different scenarios. */
function killPoints(events: ReadonlyMap<Scenario, number>): KillPoint[] {
  const points: KillPoint[] = [];
  for (let nth = 1; nth <= Math.max(...events.values()); nth++) {
    for (const [scenario, most] of events) {
      if (nth > most) continue;
      points.push({ scenario, kind: 'received', nth });
      if (nth > MOST_APPENDS) continue;
      points.push({ scenario, kind: 'sent', nth }, { scenario, kind: 'stored', nth });
    }
  }
  return points;
}

/** F2: plays run after run on one data folder, strikes each at its point, and goes on with it after a restart. */
export async function killAtBoundaries(wanted: number, rotation: number): Promise<RowReport> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-orders-'));
  const theatre = await Theatre.open({ imports: [DIE_AT_APPEND], env: { DIED_FILE: join(folder, 'died') } });
  try {
    const { service } = theatre.stage;
    const points = killPoints(await unharmed(theatre));
    const from = (rotation * wanted) % points.length;
    let kills = 0;
    for (let n = 0; kills < wanted; n++) {
      const point = points[(from + n) % points.length]!;
      kills += await survive(service, play(theatre, point, n));
    }
    const verdict = await theatre.audit();
    const recovery = spreadOf(service.startsMs.slice(1));
    const line = `F2 ${kills} kills at event boundaries: ${verdict.line}; ready again: ${recovery}; clients resumed: ${spreadOf(theatre.witness.gapsMs)}; from point ${from} of ${points.length}`;
    const measured = { readyMs: service.startsMs.slice(1), gapsMs: theatre.witness.gapsMs };
    return { faults: kills, verdict, line, measured };
  } finally {
    await theatre.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** How many events each scenario has where nothing happens to it. */
async function unharmed(theatre: Theatre): Promise<Map<Scenario, number>> {
  const events = new Map<Scenario, number>();
  for (const scenario of SCENARIOS) {
    let seen = 0;
    const body = { streaming_tokens: scenario.streaming };
    await theatre.witness.run(`${scenario.name} unharmed`, { body, onRecord: () => void (seen += 1) });
    events.set(scenario, seen);
  }
  return events;
}

/** Plays a run to its end, over the death of the service that its point asks for. */
async function play(theatre: Theatre, { scenario, kind, nth }: KillPoint, n: number): Promise<void> {
  const { service } = theatre.stage;
  const order = kind === 'received' ? '' : ` <die:${kind}:${nth}:${n}>`;
  let seen = 0;
  let struck: Promise<unknown> = Promise.resolve();
  const message = `${scenario.name} ${n}${order}`;
  await theatre.witness.run(message, {
    key: `key ${n}`,
    body: { streaming_tokens: scenario.streaming },
    onRecord: () => {
      seen += 1;
      if (kind === 'received' && seen === nth) struck = service.kill();
    },
  });
  await struck;
}
