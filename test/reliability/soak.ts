import { setTimeout as sleep } from 'node:timers/promises';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { Stage } from '../support/stage.js';
import { Dice } from './dice.js';
import { judgeGrowth } from './growth.js';
import { LEAK, type Leak, leakEnv } from './leak.js';
import { MemoryProbe } from './memory-probe.js';
import { turnsOf } from './scenarios.js';
import { type ActReport, type Before, SoakAct } from './soak-act.js';
import { SoakWatch } from './soak-watch.js';
import { type RowReport, Verdict, spreadOf } from './verdict.js';

export interface SoakOptions {
  readonly seed: number;
  readonly hours: number;
  /** Clients, which rest for some seconds after each run. */
  readonly streams: number;
  /** A process lives for so long at most until it is killed. */
  readonly lifeMs: number;
  /** What the service is made to leak, so that it is seen that a leak is found. */
  readonly leak?: Leak;
}

const MS_PER_HOUR = 3_600_000;
/** Every third process is stopped in order, and what was new is looked at. */
const LIVES_AN_ACT = 3;
/** Kills come at any moment of this. */
const JITTER_MS = 2_000;

/**
 * F19: one service on one log for hours, under clients that come, drop their connections and go, with callbacks and
 * schedules. It is killed now and then. Nothing is lost, doubled or re-ordered, and what it holds stays flat.
 */
export async function soak(options: SoakOptions): Promise<RowReport> {
  const { seed, hours, streams, leak } = options;
  const lifeMs = Math.min(options.lifeMs, (hours * MS_PER_HOUR) / LIVES_AN_ACT);
  const acts = Math.max(1, Math.round((hours * MS_PER_HOUR) / (lifeMs * LIVES_AN_ACT)));
  const receiver = await CallbackReceiver.start();
  const probe = new MemoryProbe();
  const env = { MAX_RUNS: '2000', EGRESS_ALLOW: '127.0.0.1', ...leakEnv(leak) };
  const stage = await Stage.open(probe.with({ env, imports: leak ? [LEAK] : [] }));
  stage.book.find = turnsOf;
  const verdict = new Verdict();
  try {
    const watch = new SoakWatch(stage, probe);
    const before: Before = { position: 0, runs: 0, sessions: new Set() };
    const reports: ActReport[] = [];
    for (let n = 0; n < acts; n++) {
      if (n > 0) await stage.service.launch();
      const act = new SoakAct(stage, receiver, before, { seed: seed + n, streams });
      try {
        await live(stage, watch, lifeMs, new Dice(seed - n));
        reports.push(await act.end(verdict));
      } finally {
        act.giveUp();
      }
    }
    const flat = judgeGrowth(watch.samples, lifeMs, verdict);
    return reportOf(options, stage, { reports, flat, kills: acts * (LIVES_AN_ACT - 1), verdict });
  } finally {
    await stage.close();
    await receiver.close();
    probe.close();
  }
}

/** The lives of an act: each but the last ends with a kill under load. */
async function live({ service }: Stage, watch: SoakWatch, lifeMs: number, dice: Dice): Promise<void> {
  for (let life = 1; life <= LIVES_AN_ACT; life++) {
    await watch.life(lifeMs);
    if (life === LIVES_AN_ACT) return;
    await sleep(dice.below(JITTER_MS));
    await service.kill('SIGKILL');
    await service.launch();
  }
}

interface Outcome {
  readonly reports: readonly ActReport[];
  readonly flat: Readonly<Record<string, string>>;
  readonly kills: number;
  readonly verdict: Verdict;
}

function reportOf({ seed, hours, streams }: SoakOptions, { service }: Stage, outcome: Outcome): RowReport {
  const { reports, flat, kills, verdict } = outcome;
  const sum = (of: (report: ActReport) => number): number => reports.reduce((all, one) => all + of(one), 0);
  const gapsMs = reports.flatMap((report) => report.gapsMs);
  const readyMs = service.startsMs.slice(1);
  const load = `${sum(({ runs }) => runs)} runs, ${kills} kills, ${reports.length} stops, ${sum(({ drops }) => drops)} dropped connections, ${sum(({ fired }) => fired)} firings, ${sum(({ called }) => called)} runs with callbacks`;
  const courses = Object.entries(flat).map(([name, course]) => `${name} ${course}`);
  const line = `F19 ${hours} hours under ${streams} clients (seed ${seed}): ${load}: ${verdict.line}; ${courses.join('; ')}; ready again: ${spreadOf(readyMs)}; clients resumed: ${spreadOf(gapsMs)}`;
  return { faults: hours, verdict, line, measured: { readyMs, gapsMs, more: { soak: load, ...flat } } };
}
