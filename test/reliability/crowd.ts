import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceClient } from '../support/service-client.js';
import type { Dice } from './dice.js';
import { SCENARIOS } from './scenarios.js';
import type { Verdict } from './verdict.js';
import type { Wish, Witness } from './witness.js';

/** Those that take their time, so that a kill finds them under way; large ones now and then. */
const OFTEN = ['long', 'long', 'long', 'pieces', 'turns', 'thinking', 'tools', 'cut'];
const SELDOM = ['large', 'plain', 'silent', 'refused', 'overloaded'];

/** What a run of the crowd brings besides its message. */
export type More = (n: number, dice: Dice) => Readonly<Record<string, unknown>>;

/** How its clients behave. */
export interface Manners {
  /** At most so many milliseconds from the end of a run to the next one; absent: none. */
  readonly pauseMs?: number;
  /** How many of a hundred drop their connection in the middle of a run, and come back. */
  readonly drops?: number;
  /** Runs of crowds before this one, whose messages and keys no run may have again. */
  readonly runsBefore?: number;
}

const LOOK_MS = 10;
/** Runs have so many events and more. */
const FEW_EVENTS = 12;

/** Clients that start, continue, cancel and clear sessions, as chance has it. */
export class Crowd {
  isClosing = false;
  /** Connections that clients were to drop. */
  drops = 0;
  private readonly sessions: string[] = [];
  /** The number of the last run. */
  runs: number;

  constructor(
    private readonly witness: Witness,
    private readonly caller: ServiceClient,
    private readonly dice: Dice,
    private readonly more: More = () => ({}),
    private readonly manners: Manners = {},
  ) {
    this.runs = manners.runsBefore ?? 0;
  }

  /** Runs after runs, until the crowd goes home, or nothing more is seen. */
  async client(): Promise<void> {
    while (!this.isClosing && !this.witness.isOver) {
      const { answers } = await this.oneRun();
      // Where nobody is there a wish fails at once; who wished again at once would let nobody in.
      if (answers.length === 0) await sleep(LOOK_MS);
      const { pauseMs = 0 } = this.manners;
      if (pauseMs > 0 && !this.isClosing) await sleep(this.dice.below(pauseMs));
    }
  }

  /** Whoever has a key comes back until the run has ended, or was refused. */
  checkEnds(verdict: Verdict): void {
    for (const wish of this.witness.wishes)
      verdict.require(
        wish.end !== undefined || wish.key === undefined || wasRefused(wish),
        () => `${wish.message}: nobody saw its end`,
      );
  }

  /** Resolves when nothing is queued or running: runs whose client went away, too. */
  async rested(): Promise<void> {
    for (const status of ['queued', 'running'])
      while ((await this.caller.all(`/runs?status=${status}`)).length > 0) await sleep(50);
  }

  private async oneRun(): Promise<Wish> {
    const { dice } = this;
    const n = ++this.runs;
    const name = dice.pick(dice.chance(90) ? OFTEN : SELDOM);
    const session = this.sessions.length > 0 && dice.chance(50) ? dice.pick(this.sessions) : undefined;
    const isCancelled = dice.chance(4);
    const isCleared = dice.chance(3);
    const isDropped = dice.chance(this.manners.drops ?? 0);
    if (isDropped) this.drops += 1;
    const wish = await this.witness.run(`${name} ${n}`, {
      ...(session === undefined ? {} : { session }),
      ...(dice.chance(85) ? { key: `key ${n}` } : {}),
      ...(isDropped ? { dropAt: 1 + dice.below(FEW_EVENTS) } : {}),
      body: {
        streaming_tokens: SCENARIOS.find((s) => s.name === name)?.streaming ?? false,
        ...this.more(n, dice),
      },
      onRecord: ({ event }, nth) => {
        if (nth === 2 && isCancelled) void this.cancel(event.session);
        if (nth === 3 && isCleared) void this.send(`/clear-messages?session=${event.session}`);
      },
    });
    const [known] = wish.answers;
    if (known && session === undefined && this.sessions.length < 100) this.sessions.push(known.session);
    return wish;
  }

  /** Cancels what runs in the session. */
  private async cancel(session: string): Promise<void> {
    const answer = await this.caller.get(`/runs?session=${session}&status=running`).catch(() => null);
    if (answer?.status !== 200) return;
    const [run] = answer.json<{ items: { run_id: string }[] }>().items;
    if (run) await this.send(`/runs/${run.run_id}/cancel`);
  }

  private async send(path: string): Promise<void> {
    // A service that is dead does not hear it, which is as good.
    await this.caller.post(path).catch(() => null);
  }
}

const wasRefused = (wish: Wish): boolean => wish.answers.length === 0 && wish.refusals.length > 0;
