import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from './crowd.js';
import { Dice } from './dice.js';
import { Theatre } from './theatre.js';
import { type RowReport, spreadOf } from './verdict.js';

export interface RandomKillsOptions {
  readonly seed: number;
  readonly kills: number;
  /** Clients that have a run under way at the same time. */
  readonly streams: number;
  /** The service lives so long between its starts. */
  readonly leastMs: number;
  readonly mostMs: number;
}

/** F4: clients start, continue, cancel and clear sessions while the service is killed again and again. */
export async function randomKills(options: RandomKillsOptions): Promise<RowReport> {
  const theatre = await Theatre.open({ env: { MAX_RUNS: '2000' } });
  try {
    const crowd = new Crowd(theatre.witness, theatre.stage.client, new Dice(options.seed));
    const clients = Array.from({ length: options.streams }, () => crowd.client());
    await strike(theatre, options);
    crowd.isClosing = true;
    await Promise.all(clients);
    await crowd.rested();
    const verdict = await theatre.audit();
    crowd.checkEnds(verdict);
    const { service } = theatre.stage;
    const runs = theatre.witness.wishes.length;
    const line = `F4 ${options.kills} random kills under ${options.streams} streams (seed ${options.seed}), ${runs} runs: ${verdict.line}; ready again: ${spreadOf(service.startsMs.slice(1))}; clients resumed: ${spreadOf(theatre.witness.gapsMs)}`;
    const measured = {
      readyMs: service.startsMs.slice(1),
      gapsMs: theatre.witness.gapsMs,
      more: { 'runs under random kills': String(runs) },
    };
    return { faults: options.kills, verdict, line, measured };
  } finally {
    await theatre.close();
  }
}

async function strike({ stage }: Theatre, options: RandomKillsOptions): Promise<void> {
  const dice = new Dice(options.seed + 1);
  for (let n = 0; n < options.kills; n++) {
    await sleep(options.leastMs + dice.below(options.mostMs - options.leastMs));
    await stage.service.kill('SIGKILL');
    await stage.service.launch();
  }
}
