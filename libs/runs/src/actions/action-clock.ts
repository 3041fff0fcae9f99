import { type ActionId, Problem, decideExpiry, sessionOfAction } from '#domain';
import type { Background, Clock, Logger } from '#platform';
import type { Sessions } from '../sessions.js';
import type { ActionIndex } from './action-index.js';

export interface ActionClockPorts {
  readonly sessions: Sessions;
  readonly index: ActionIndex;
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
}

const LOOK_MS = 1_000;
const AT_ONCE = 100;
const LEFT_ALONE_MS = 30_000;
/** Tables that do not answer are asked again; nobody waits for them at a stop. */
const INDEX_PATIENCE_MS = 10_000;

/**
 * Closes actions whose time is over. It holds nothing: which are due the tables say, each second, and whether one still is,
 * the log. So no timer is lost by a crash, and runs that wait cost nothing.
 */
export class ActionClock {
  private readonly stopping = new AbortController();
  private readonly ended = Promise.withResolvers<void>();
  private isStarted = false;
  /** Until when those are left alone that were looked at: the tables may not show yet, or never, what came of it. */
  private readonly seenTo = new Map<ActionId, number>();

  constructor(private readonly ports: ActionClockPorts) {}

  start(): void {
    this.isStarted = true;
    this.ports.background.start('action clock', async () => {
      const { signal } = this.stopping;
      while (!signal.aborted) {
        await this.look();
        await this.ports.clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
      this.ended.resolve();
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the clock was stopped'));
    if (this.isStarted) await this.ended.promise;
  }

  private async look(): Promise<void> {
    const { logger, clock } = this.ports;
    const now = clock.now();
    for (const [action, until] of this.seenTo) if (until <= now) this.seenTo.delete(action);
    try {
      for (const action of await this.due()) {
        if (this.stopping.signal.aborted) return;
        if (this.seenTo.has(action)) continue;
        if (await this.expire(action)) this.seenTo.set(action, now + LEFT_ALONE_MS);
      }
    } catch (err) {
      logger.warn({ err }, 'actions that expire could not be looked up yet');
    }
  }

  private async due(): Promise<readonly ActionId[]> {
    const { index, clock } = this.ports;
    const answered = new AbortController();
    const signal = AbortSignal.any([answered.signal, this.stopping.signal]);
    const nothing = clock.sleep(INDEX_PATIENCE_MS, signal).then(
      () => [],
      () => [],
    );
    try {
      return await Promise.race([index.due(clock.now(), AT_ONCE + this.seenTo.size), nothing]);
    } finally {
      answered.abort();
    }
  }

  /** Returns whether it is closed now, or there is nothing to close. */
  private async expire(action: ActionId): Promise<boolean> {
    const { sessions, clock, logger } = this.ports;
    const session = sessionOfAction(action);
    if (session === null) return true;
    try {
      await sessions.use(session, async ({ journal }) => {
        const { project, current } = journal.state;
        const run = current === null ? {} : { run: current.run };
        const meta = { schemaVersion: 1, project: project ?? '', actor: '', ...run };
        await journal.command(meta, (state) => ({
          events: decideExpiry(state, action, clock.now()),
          value: undefined,
        }));
      });
      return true;
    } catch (err) {
      // Erased, and the tables do not know it yet.
      if (err instanceof Problem && err.code === 'not_found') return true;
      logger.warn({ err, action }, 'an action could not be closed yet');
      return false;
    }
  }
}
