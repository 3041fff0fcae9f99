import { typedReader } from '#domain';
import {
  type EventLog,
  LogRefused,
  LogUnavailable,
  NO_EVENTS,
  type Revision,
  appendUntilDefinite,
  newEvent,
} from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import type { Identity } from './process-identity.js';

/** The stream in which processes say who works on the log. */
const STREAM = 'lease-process';
const RETRY_MS = 200;
const META = { schemaVersion: 1, project: '', actor: 'annals' };

type LeaseEvent =
  /** A process without DATABASE_URL works on the log, alone. */
  | { readonly type: 'lease_taken'; readonly data: { readonly holder: string; readonly process: Identity } }
  /** Replicas work on the log. */
  | { readonly type: 'lease_shared'; readonly data: { readonly holder: string } }
  | { readonly type: 'lease_asked'; readonly data: { readonly by: string } }
  /** The holder's answer to `lease_asked`. */
  | { readonly type: 'lease_held'; readonly data: { readonly holder: string; readonly asked: number } }
  | { readonly type: 'lease_released'; readonly data: { readonly holder: string } };

const leaseEvent = typedReader<LeaseEvent>({
  lease_taken: true,
  lease_shared: true,
  lease_asked: true,
  lease_held: true,
  lease_released: true,
});

/** Who works on the log, as far as the stream says. */
interface State {
  readonly holder: string | null;
  readonly process: Identity | null;
  readonly isShared: boolean;
  readonly revision: Revision;
}

const FREE: State = { holder: null, process: null, isShared: false, revision: NO_EVENTS };

export interface SoleLeasePorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

export interface SoleLeaseOptions {
  /** True: this process is one of several replicas; they only keep out those that would be alone. */
  readonly isShared: boolean;
  /** How long a holder has to answer. */
  readonly patienceMs: number;
  readonly process: Identity;
  /** Whether the process is known to have ended. */
  readonly hasEnded: (process: Identity) => boolean;
  /** Another process has taken the log over. */
  readonly onLost: () => void;
}

/**
 * Mutual exclusion of processes on one log, through a stream of it. A lease that needs neither renewal nor clocks: a
 * process that wants the log appends a question to the stream, and a holder that lives appends its answer.
 * 1. The log is taken at the revision at which it was found free or unanswered: of two that want it, one gets it.
 * 2. A holder that was frozen learns from the stream that another process has the lease. Until then its appends are fenced as any
 *    stranger's are, by the revisions of the sessions.
 */
export class SoleLease {
  private readonly stopping = new AbortController();
  private readonly me: string;
  private state: State = FREE;

  constructor(
    private readonly ports: SoleLeasePorts,
    private readonly options: SoleLeaseOptions,
  ) {
    this.me = ports.random.hex(8);
  }

  /** Waits for the log as long as it takes. @throws LogRefused while another process works on it */
  async take(): Promise<void> {
    while (!(await this.tryToTake())) await this.ports.clock.sleep(RETRY_MS);
    this.ports.background.start('keep the log', () => this.keep());
  }

  /** False: somebody was faster, or the log does not answer. @throws LogRefused */
  private async tryToTake(): Promise<boolean> {
    const { isShared } = this.options;
    try {
      this.state = await this.read();
      if (this.isInTheWay(this.state) && (await this.isAnswered()))
        throw new LogRefused(refusalOf(this.options));
      if (isShared && this.state.isShared) return true;
      return await this.append(isShared ? 'shared' : 'taken');
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error;
      this.ports.logger.warn({ err: error }, 'the log does not say yet who works on it');
      return false;
    }
  }

  /** So that the next one need not ask. */
  async release(): Promise<void> {
    this.stopping.abort(new Error('the log is given up'));
    if (this.options.isShared) return;
    const event = this.make({ type: 'lease_released', data: { holder: this.me } });
    await this.ports.log.append(STREAM, [event], { expected: 'stream_exists' }).catch(() => undefined);
  }

  private isInTheWay({ holder, process, isShared }: State): boolean {
    if (isShared) return !this.options.isShared;
    return holder !== null && !(process !== null && this.options.hasEnded(process));
  }

  /** Asks, and waits for anybody who works on the log to answer. */
  private async isAnswered(): Promise<boolean> {
    const { log, clock, logger } = this.ports;
    const { patienceMs } = this.options;
    const asked = this.make({ type: 'lease_asked', data: { by: this.me } });
    const options = { expected: 'stream_exists' } as const;
    const result = await appendUntilDefinite(log, clock, this.ports.random, STREAM, [asked], options);
    if (result.kind === 'conflict') return false;
    logger.info({ patienceMs }, 'another process worked on this log: asking whether it still does');
    const deadline = clock.deadline(patienceMs);
    try {
      const answer = await this.answerTo(result.last, deadline.signal);
      if (answer === 'held') return true;
      // What is taken now is taken behind the question: invariant 1.
      this.state = { ...this.state, revision: answer };
      return false;
    } finally {
      deadline[Symbol.dispose]();
    }
  }

  /** `held`, or the revision up to which nobody said so, when the holder gave it up or the signal is aborted. */
  private async answerTo(asked: Revision, signal: AbortSignal): Promise<'held' | Revision> {
    let last = asked;
    for await (const events of this.ports.log.subscribeStream(STREAM, { after: asked, signal }))
      for (const recorded of events) {
        last = recorded.revision;
        if (recorded.type === 'lease_released') return last;
        if (recorded.type !== 'lease_asked') return 'held';
      }
    return last;
  }

  /** False: somebody was faster. */
  private async append(how: 'taken' | 'shared'): Promise<boolean> {
    const { log, clock, random } = this.ports;
    const { me: holder, state } = this;
    const event =
      how === 'taken'
        ? this.make({ type: 'lease_taken', data: { holder, process: this.options.process } })
        : this.make({ type: 'lease_shared', data: { holder } });
    const expected = state.revision === NO_EVENTS ? 'no_stream' : state.revision;
    const result = await appendUntilDefinite(log, clock, random, STREAM, [event], { expected });
    if (result.kind === 'conflict') return false;
    this.state = { ...FREE, holder, revision: result.last, isShared: how === 'shared' };
    return true;
  }

  /** Answers those who ask, and hears when it was taken. */
  private async keep(): Promise<void> {
    const { log } = this.ports;
    const { signal } = this.stopping;
    for await (const events of log.subscribeStream(STREAM, { after: this.state.revision, signal }))
      for (const recorded of events) {
        const event = leaseEvent(recorded);
        if (event === null) continue;
        const isTaken =
          event.type === 'lease_taken' || (event.type === 'lease_shared' && !this.options.isShared);
        if (isTaken && event.data.holder !== this.me) return this.options.onLost();
        if (event.type === 'lease_asked' && event.data.by !== this.me) await this.answer(event.revision);
      }
  }

  private async answer(asked: number): Promise<void> {
    const event = this.make({ type: 'lease_held', data: { holder: this.me, asked } });
    try {
      await this.ports.log.append(STREAM, [event], { expected: 'stream_exists' });
    } catch (error) {
      this.ports.logger.warn({ err: error }, 'a process that asks for the log could not be answered');
    }
  }

  private async read(): Promise<State> {
    let revision = NO_EVENTS;
    for await (const page of this.ports.log.readStream(STREAM, { backwards: true }))
      for (const recorded of page) {
        if (revision === NO_EVENTS) revision = recorded.revision;
        const event = leaseEvent(recorded);
        if (event?.type === 'lease_released') return { ...FREE, revision };
        if (event?.type === 'lease_shared')
          return { ...FREE, holder: event.data.holder, isShared: true, revision };
        if (event?.type === 'lease_taken') return { ...event.data, isShared: false, revision };
      }
    return { ...FREE, revision };
  }

  private make({ type, data }: LeaseEvent) {
    const { random, clock } = this.ports;
    return newEvent({ id: random.uuid(), type, time: clock.now(), data }, META);
  }
}

const refusalOf = ({ isShared }: SoleLeaseOptions): string =>
  isShared
    ? 'EVENTSTORE_URL: a process without DATABASE_URL works on this log; stop it first, replicas need both'
    : 'EVENTSTORE_URL: another process works on this log; several need DATABASE_URL, the same for all';
