import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from './dice.js';
import { SCENARIOS } from './scenarios.js';
import { Theatre } from './theatre.js';
import { type RowReport, spreadOf } from './verdict.js';
import type { Wish } from './witness.js';

export interface RandomKillsOptions {
  readonly seed: number;
  readonly kills: number;
  /** Clients that have a run under way at the same time. */
  readonly streams: number;
  /** The service lives so long between its starts. */
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Those that take their time, so that a kill finds them under way; large ones now and then. */
const OFTEN = ['long', 'long', 'long', 'pieces', 'turns', 'thinking', 'tools', 'cut'];
const SELDOM = ['large', 'plain', 'silent', 'refused', 'overloaded'];

/** F4: clients start, continue, cancel and clear sessions while the service is killed again and again. */
export async function randomKills(options: RandomKillsOptions): Promise<RowReport> {
  const theatre = await Theatre.open({ env: { MAX_RUNS: '2000' } });
  try {
    const crowd = new Crowd(theatre, new Dice(options.seed));
    const clients = Array.from({ length: options.streams }, () => crowd.client());
    await strike(theatre, options);
    crowd.isClosing = true;
    await Promise.all(clients);
    await crowd.rested();
    const verdict = await theatre.audit();
    for (const wish of theatre.witness.wishes)
      verdict.require(
        wish.end !== undefined || wish.key === undefined || crowd.wasRefused(wish),
        () => `${wish.message}: nobody saw its end`,
      );
    const { service } = theatre.stage;
    const runs = theatre.witness.wishes.length;
    const line = `F4 ${options.kills} random kills under ${options.streams} streams (seed ${options.seed}), ${runs} runs: ${verdict.line}; ready again: ${spreadOf(service.startsMs.slice(1))}; clients resumed: ${spreadOf(theatre.witness.gapsMs)}`;
    return { faults: options.kills, verdict, line };
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

class Crowd {
  isClosing = false;
  private readonly sessions: string[] = [];
  private runs = 0;

  constructor(
    private readonly theatre: Theatre,
    private readonly dice: Dice,
  ) {}

  /** Runs after runs, until the crowd goes home. */
  async client(): Promise<void> {
    while (!this.isClosing) await this.oneRun();
  }

  wasRefused = (wish: Wish): boolean => wish.answers.length === 0 && wish.refusals.length > 0;

  /** Resolves when nothing is queued or running: runs whose client went away, too. */
  async rested(): Promise<void> {
    const { client } = this.theatre.stage;
    for (const status of ['queued', 'running'])
      while ((await client.all(`/runs?status=${status}`)).length > 0) await sleep(50);
  }

  private async oneRun(): Promise<void> {
    const { dice } = this;
    const n = ++this.runs;
    const name = dice.pick(dice.chance(90) ? OFTEN : SELDOM);
    const session = this.sessions.length > 0 && dice.chance(50) ? dice.pick(this.sessions) : undefined;
    const isCancelled = dice.chance(4);
    const isCleared = dice.chance(3);
    const wish = await this.theatre.witness.run(`${name} ${n}`, {
      ...(session === undefined ? {} : { session }),
      ...(dice.chance(85) ? { key: `key ${n}` } : {}),
      body: { streaming_tokens: SCENARIOS.find((s) => s.name === name)?.streaming ?? false },
      onRecord: ({ event }, nth) => {
        if (nth === 2 && isCancelled) void this.cancel(event.session);
        if (nth === 3 && isCleared) void this.send(`/clear-messages?session=${event.session}`);
      },
    });
    const [known] = wish.answers;
    if (known && session === undefined && this.sessions.length < 100) this.sessions.push(known.session);
  }

  /** Cancels what runs in the session. */
  private async cancel(session: string): Promise<void> {
    const { client } = this.theatre.stage;
    const answer = await client.get(`/runs?session=${session}&status=running`).catch(() => null);
    if (answer?.status !== 200) return;
    const [run] = answer.json<{ items: { run_id: string }[] }>().items;
    if (run) await this.send(`/runs/${run.run_id}/cancel`);
  }

  private async send(path: string): Promise<void> {
    // A service that is dead does not hear it, which is as good.
    await this.theatre.stage.client.post(path).catch(() => null);
  }
}
