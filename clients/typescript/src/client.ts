import { type ActionsOptions, listActions } from './actions.js';
import { type AnnalsOptions, Connection } from './connection.js';
import { type FollowOptions, follow, isEnd } from './follow.js';
import { Patience } from './patience.js';
import type { AcceptedRun, Action, Decision, RecordedEvent, Run, RunRequest } from './types.js';

export interface StartOptions {
  /** The session to go on with. Absent: a new one. */
  readonly session?: string;
  /** The same key and the same request are the same run. Absent: one is made, so that a lost answer starts nothing twice. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What a run is asked; how it is answered is the client's own matter. */
export type StartRequest = Omit<RunRequest, 'background'>;

/** A service, as one key sees it. */
export class Annals {
  private readonly connection: Connection;

  constructor(options: AnnalsOptions) {
    this.connection = new Connection(options);
  }

  /**
   * Starts a run, which goes on whoever listens.
   * @throws AnnalsRefused, AnnalsUnreachable; the signal's reason
   */
  async start(
    request: StartRequest,
    { session, idempotencyKey, signal }: StartOptions = {},
  ): Promise<RunHandle> {
    const query = session === undefined ? '' : `?session=${encodeURIComponent(session)}`;
    const headers = { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() };
    const body = { ...request, background: true };
    const accepted = await this.connection.json<AcceptedRun>('POST', `/${query}`, { body, headers, signal });
    return new RunHandle(this.connection, accepted.run_id, accepted.session, accepted.task_ids);
  }

  /** A run that was started elsewhere or before. It is not asked whether it exists. */
  run(runId: string): RunHandle {
    return new RunHandle(this.connection, runId, sessionOf(runId), []);
  }

  /** The events of all of a session's runs, and of those to come: it ends with the signal, or when the caller breaks off. */
  followSession(
    session: string,
    options: FollowOptions = {},
  ): AsyncGenerator<RecordedEvent, void, undefined> {
    return follow(this.connection, `/sessions/${encodeURIComponent(session)}/events`, options, () => false);
  }

  /** What runs wait for, or have waited for, newest first, page by page. */
  actions(options: ActionsOptions = {}): AsyncGenerator<Action, void, undefined> {
    return listActions(this.connection, options);
  }

  /** An action by its id, as soon as its `agent_action_required` was shown. */
  action(actionId: string, { signal }: WaitOptions = {}): Promise<Action> {
    return this.connection.json<Action>('GET', actionPath(actionId), { signal });
  }

  /**
   * Decides on an action. The first decision holds: the same again changes nothing.
   * @throws AnnalsRefused: 409 where another one was first, its time is over, or its run has ended; 422 where the decision
   * does not fit what is asked
   */
  resolve(actionId: string, decision: Decision, { signal }: WaitOptions = {}): Promise<Action> {
    const path = `${actionPath(actionId)}/resolve`;
    return this.connection.json<Action>('POST', path, { body: decision, signal });
  }
}

/** One run. */
export class RunHandle {
  constructor(
    private readonly connection: Connection,
    readonly id: string,
    readonly session: string,
    /** The tasks that its `schedules` have made, in their order. */
    readonly taskIds: readonly string[],
  ) {}

  /** Its events, from the first or from after `after`, to its end. */
  events(options: FollowOptions = {}): AsyncGenerator<RecordedEvent, void, undefined> {
    return follow(this.connection, `${this.path}/events`, options, isEnd);
  }

  /** What it is now. */
  get({ signal }: WaitOptions = {}): Promise<Run> {
    return this.connection.json<Run>('GET', this.path, { signal });
  }

  /** Resolves with the run when it has ended, whatever its end. */
  async wait({ signal }: WaitOptions = {}): Promise<Run> {
    const patience = new Patience(this.connection.patienceMs, signal);
    let run = await this.get({ signal });
    while (run.ended_at === null) {
      const after = run.last_event_id === null ? {} : { after: run.last_event_id };
      for await (const _ of this.events({ ...after, signal })) patience.renew();
      run = await this.get({ signal });
      // Another replica may say of the run what it was a moment ago.
      if (run.ended_at === null) await patience.wait(null);
    }
    return run;
  }

  /** Ends it. Where it has ended, nothing happens. */
  cancel({ signal }: WaitOptions = {}): Promise<Run> {
    return this.connection.json<Run>('POST', `${this.path}/cancel`, { signal });
  }

  private get path(): string {
    return `/runs/${encodeURIComponent(this.id)}`;
  }
}

const actionPath = (actionId: string): string => `/actions/${encodeURIComponent(actionId)}`;

/** A run's id holds that of its session. */
const sessionOf = (runId: string): string => /^run_(.+)_[^_]+$/.exec(runId)?.[1] ?? '';
