import type { Toolboxes } from '#agent';
import {
  type Draft,
  type Mode,
  Problem,
  canBeSteered,
  decideOpen,
  decideRetry,
  decideStart,
  type SessionState,
  isIdle,
  knowsRun,
  requireSession,
  sessionStream,
  type RunId,
  type SessionId,
} from '#domain';
import { type EventLog, LogUnavailable, NO_EVENTS, type Revision } from '#event-log';
import type { ContentStore } from '#vault';
import type { RunAdmission } from '../admission.js';
import { findRequest } from '../load-session.js';
import type { Session } from '../session.js';
import { storeMessages } from '../tasks/plan-schedules.js';
import { type PlannedRun, metaOf } from './planned-run.js';
import { storeItems } from './store-items.js';
import type { RunLocation } from './run-location.js';
import { type AskedForResponse, SessionMoved, type StartRun, type StartedRun } from './start-run-request.js';

export interface AcceptRunPorts {
  readonly log: EventLog;
  readonly contents: ContentStore;
  readonly admission: RunAdmission;
  readonly toolboxes: Toolboxes;
}

export interface StartRunOptions {
  readonly models: Readonly<Record<Mode, string>>;
  readonly replica: string;
  readonly worker: string;
}

/** null: the run is there already. A problem: a refusal that is on the log. */
type Accepted =
  { readonly requested: Revision; readonly isStarted: boolean; readonly steered?: RunId } | Problem | null;

/** Of a message that steers a run, where it stands in the event itself. */
const MAX_STEERING_CHARS = 1_000;

/** Takes a run to the log, in its place; there it is driven at once where there is room, or waits its turn. */
export class RunAcceptance {
  /** Requests under way, by run. */
  private readonly asking = new Map<string, number>();

  constructor(
    private readonly ports: AcceptRunPorts,
    private readonly options: StartRunOptions,
  ) {}

  /** @throws Problem not_found, session_busy, rate_limited; LogUnavailable (nothing was started) */
  async accept(session: Session, place: RunLocation, command: PlannedRun): Promise<StartedRun> {
    const { admission } = this.ports;
    if (command.session !== undefined) requireSession(session.journal.state, command.project);
    // A message for the run under way needs no place.
    const isSteering = command.onBusy === 'steer' && canBeSteered(session.journal.state);
    const hasRoom = !isSteering && admission.tryTake(place.run, command.project);
    const { asking } = this;
    asking.set(place.run, (asking.get(place.run) ?? 0) + 1);
    let isStarted = false;
    let entered = (): void => undefined;
    this.ports.toolboxes.remember(place.run, command.mcpServers ?? []);
    try {
      const entering = { run: place.run, project: command.project, hasRoom };
      if (!isSteering) entered = admission.enter(entering, session.id, session.journal.state);
      const accepted = await this.append(session, place, command, hasRoom);
      if (accepted instanceof Problem) throw accepted;
      isStarted = accepted?.isStarted === true;
      if (accepted === null) return await this.found(place);
      const { requested, steered } = accepted;
      if (steered !== undefined) return { session: session.id, run: steered, requested, isSteered: true };
      return { session: session.id, run: place.run, requested };
    } finally {
      entered();
      const isLast = this.isLastToAsk(place.run);
      if (isLast && !knowsUnended(session, place.run)) this.ports.toolboxes.forget(place.run);
      // Erased in the same breath, a run that was started is driven by nobody.
      const hasPlace = isStarted && knowsUnended(session, place.run);
      if (isLast && !hasPlace && !session.isDriving(place.run)) {
        admission.release(place.run);
        session.react();
      }
    }
  }

  /** The run of a key, if it is on the log up to the revision, at least. @throws LogUnavailable */
  async find({ session, run, after }: RunLocation, upTo: Revision = NO_EVENTS): Promise<StartedRun | null> {
    const found = await findRequest(this.ports.log, sessionStream(session), { run, after, upTo });
    if (found === null) return null;
    const isSteered = found.run === run ? {} : { isSteered: true as const };
    return { session, run: found.run, requested: found.revision, ...isSteered };
  }

  /** The run is there; only a read of a log that others write to may lag behind. */
  private async found(place: RunLocation): Promise<StartedRun> {
    const started = await this.find(place);
    if (started === null) throw new LogUnavailable('the run cannot be read yet');
    return started;
  }

  /** Requests with the same key share a place and tool servers while they are under way: the last one gives them back. */
  private isLastToAsk(run: RunId): boolean {
    const others = (this.asking.get(run) ?? 1) - 1;
    if (others > 0) this.asking.set(run, others);
    else this.asking.delete(run);
    return others === 0;
  }

  private async append(session: Session, { run }: RunLocation, command: PlannedRun, hasRoom: boolean) {
    const { models, replica, worker } = this.options;
    const { project, actor, mode, trigger, onBusy, callback, firing, retryOf, replayOf, fork } = command;
    const { contents } = this.ports;
    // A claim names the messages that steer its run and were not taken in yet: they have to fit.
    const isLong = onBusy === 'steer' && command.message.length > MAX_STEERING_CHARS;
    const message = await (isLong
      ? contents.toFile(session.id, command.message)
      : contents.store(session.id, command.message));
    const config = await contents.storeObject(session.id, command.config);
    const schedules = await storeMessages(command.plan(), (text) => contents.toFile(session.id, text));
    const { items: given, endsUnheard, response } = command;
    const items = given === undefined ? undefined : await storeItems(contents, session.id, given);
    const request = {
      run,
      message,
      mode,
      model: command.model ?? models[mode],
      config,
      trigger,
      replica,
      onBusy,
      ...(callback === undefined ? {} : { callback }),
      ...(schedules.length === 0 ? {} : { schedules }),
      ...(firing === undefined ? {} : { task: firing.task }),
      ...(retryOf === undefined ? {} : { retry_of: retryOf }),
      ...(replayOf === undefined ? {} : { replay_of: replayOf }),
      ...(items === undefined ? {} : { items }),
      ...(endsUnheard === undefined ? {} : { ends_unheard: endsUnheard }),
      ...(response === undefined ? {} : { response: await this.stored(session.id, response) }),
    };
    const terms = { project, actor, worker, hasRoom, mayArriveLate: this.mayArriveLate(command) };
    return session.journal.command<Accepted>({ ...metaOf(command), run }, (state, next) => {
      const opening =
        command.session === undefined ? decideOpen(state, request, { worker, hasRoom, fork }) : null;
      if (opening)
        return { events: opening, value: { requested: next + placeOfRequest(opening), isStarted: hasRoom } };
      requireUnmoved(state, next, run, command);
      const decide = retryOf === undefined ? decideStart : decideRetry;
      const decision = decide(state, request, { ...terms, next });
      if (decision.kind === 'known') return { events: [], value: null };
      if (decision.kind === 'steer')
        return {
          events: decision.events,
          value: { requested: next, isStarted: false, steered: decision.run },
        };
      if (decision.kind === 'refuse') return { events: decision.events, value: decision.problem };
      const { events, kind } = decision;
      return {
        events,
        value: { requested: next + placeOfRequest(events), isStarted: kind === 'start' },
      };
    });
  }

  private async stored(session: SessionId, { settings, payload }: AskedForResponse) {
    return { settings: await this.ports.contents.storeBeside(session, settings), payload };
  }

  /** Another try with the same key, on another process, may have written what is stored only now. */
  private mayArriveLate({ idempotency }: StartRun): boolean {
    return idempotency !== undefined && !this.ports.log.exclusive;
  }
}

/** @throws SessionMoved */
function requireUnmoved(
  state: SessionState,
  next: Revision,
  run: RunId,
  { goesOnAt, project }: Pick<StartRun, 'goesOnAt' | 'project'>,
): void {
  if (goesOnAt === undefined || state.project !== project || knowsRun(state, run)) return;
  if (next - 1 !== goesOnAt || !isIdle(state)) throw new SessionMoved('the session has gone on');
}

const placeOfRequest = (events: readonly Draft[]): number =>
  events.findIndex(({ type }) => type === 'run_requested');

const knowsUnended = ({ journal: { state } }: Session, run: RunId): boolean =>
  state.current?.run === run || state.waiting.some((waiting) => waiting.run === run);
