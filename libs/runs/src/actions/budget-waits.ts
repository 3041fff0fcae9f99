import {
  type ActionId,
  type BudgetChange,
  Problem,
  budgetNamed,
  budgetStream,
  decideAction,
  openAction,
  raiserOf,
  sessionOfAction,
  sessionStream,
} from '#domain';
import { type EventLog, lastEventOf } from '#event-log';
import type { Background, Clock, Logger } from '#platform';
import type { ContentStore } from '#vault';
import { readRequest } from '../load-session.js';
import type { Session } from '../session.js';
import type { Sessions } from '../sessions.js';
import type { BudgetIndex, BudgetWait } from './action-index.js';
import { readAction } from './action-record.js';

export interface BudgetWaitsPorts {
  readonly log: EventLog;
  readonly sessions: Sessions;
  readonly contents: ContentStore;
  readonly index: BudgetIndex;
  readonly clock: Clock;
  readonly background: Background;
  readonly logger: Logger;
  /** Whether the budget of this name (`key/ID`, `project/NAME`) holds calls of the model now. @throws what an outage is */
  readonly isReached: (name: string, model: string) => Promise<boolean>;
}

const LOOK_MS = 2_000;
const PAGE = 500;
const AT_ONCE = 32;

/**
 * Lets runs go on that wait for a budget of a key or a project: when it was changed, and when its period begins. It holds
 * nothing: which runs wait the tables say, what they wait for the log. So nothing is lost by a crash.
 */
export class BudgetWaits {
  private readonly stopping = new AbortController();
  private readonly ended = Promise.withResolvers<void>();
  private isStarted = false;

  constructor(private readonly ports: BudgetWaitsPorts) {}

  start(): void {
    this.isStarted = true;
    this.ports.background.start('budget clock', async () => {
      const { signal } = this.stopping;
      while (!signal.aborted) {
        await this.release();
        await this.ports.clock.sleep(LOOK_MS, signal).catch(() => undefined);
      }
      this.ended.resolve();
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('the clock was stopped'));
    if (this.isStarted) await this.ended.promise;
  }

  /** Lets go on what is not held any more: many at once, so that what they write shares its way to the disk. */
  async release(): Promise<void> {
    const open = this.open();
    const work = async (): Promise<void> => {
      for await (const { action } of open) {
        if (this.stopping.signal.aborted) return;
        await this.releaseOne(action);
      }
    };
    const works = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    const failed = works.find((one) => one.status === 'rejected');
    if (failed === undefined) return;
    this.ports.logger.warn(
      { err: failed.reason as unknown },
      'runs that wait for a budget could not be looked up yet',
    );
  }

  /** All of them: those that wait on for long, of however many projects, keep nobody behind them waiting. */
  private async *open(): AsyncGenerator<BudgetWait> {
    let last: BudgetWait | undefined;
    do {
      const page: readonly BudgetWait[] = await this.ports.index.openBudgets(PAGE, last);
      yield* page;
      last = page.length < PAGE ? undefined : page.at(-1);
    } while (last !== undefined);
  }

  private async releaseOne(action: ActionId): Promise<void> {
    const { sessions, logger } = this.ports;
    const session = sessionOfAction(action);
    if (session === null) return;
    try {
      await sessions.use(session, (known) => this.decide(known, action));
    } catch (err) {
      // Erased, and the tables do not know it yet.
      if (err instanceof Problem && err.code === 'not_found') return;
      logger.warn({ err, action }, 'a run that waits for a budget could not be looked at yet');
    }
  }

  private async decide({ id: session, journal }: Session, id: ActionId): Promise<void> {
    const { log, contents, clock, isReached } = this.ports;
    const { project } = journal.state;
    const open = project === null ? null : openAction(journal.state, project, id);
    if (open === null || project === null) return;
    const record = await readAction(log, { session, id, asked: open.action.asked, isOpen: true });
    if (record === null) return;
    const { of } = JSON.parse(await contents.text(session, record.asked)) as { readonly of?: string };
    const { data } = await readRequest(log, sessionStream(session), open.run.requested);
    if (of === undefined || (await isReached(of, data.model))) return;
    const actor = await this.actorBehind(of, record.createdAt);
    const verdict = { action: id, decision: 'raise', actor, content: '{}', result: '' } as const;
    await journal.command({ schemaVersion: 1, project, actor, run: open.run.run }, (state) => {
      const ruling = decideAction(state, project, { ...verdict, now: clock.now() });
      return { events: 'events' in ruling ? ruling.events : [], value: undefined };
    });
  }

  /** Whoever looks first, it is said of them. */
  private async actorBehind(budget: string, since: number): Promise<string> {
    const { log, clock } = this.ports;
    const last = await lastEventOf(log, budgetStream(budgetNamed(budget)));
    const { period } = (last?.data ?? {}) as Pick<BudgetChange, 'period'>;
    const change = last && { time: last.time, actor: last.meta.actor, ...(period && { period }) };
    return raiserOf(change, since, clock.now());
  }
}
