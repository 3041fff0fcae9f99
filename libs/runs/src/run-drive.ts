import {
  ClaimLost,
  Driver,
  type Journal,
  Replay,
  RunCancelled,
  type RunFacts,
  RunRecord,
  RunStopped,
  RunWriter,
  type Toolbox,
  type ToolboxRequest,
  UNWATCHED,
} from '#agent';
import {
  type CurrentRun,
  NO_CALLS,
  type RecordedSessionEvent,
  type Revision,
  type RunConfig,
  type RunEnd,
  type RunId,
} from '#domain';
import { WorkflowRuns } from '#workflow';
import { NO_EVENTS, type RecordedEvent } from '#event-log';
import { type LoadedContext, type RequestEvent, type RunToLoad, begun, loadRun } from './load-session.js';
import { loadRecord } from './replay/load-record.js';
import type { ServerTasks } from './server-tasks.js';
import type { SessionPorts } from './session-ports.js';

/** The driving of one run under one claim of this process. */
export class RunDrive {
  private readonly controller = new AbortController();
  private driver: Driver | null = null;
  private writer: RunWriter | null = null;
  private record: RunRecord | null = null;
  private isDraining = false;
  private readonly opened: Toolbox[] = [];
  /** What others wrote about the run before there was a record of it. */
  private early: RecordedSessionEvent[] = [];
  /** Up to here the record holds what was read from the log; the journal may hear of such events only then. */
  private readTo: Revision = NO_EVENTS;

  constructor(
    private readonly session: {
      readonly id: string;
      readonly journal: Journal;
      readonly tasks: Pick<ServerTasks, 'tellCancelled'>;
    },
    private readonly claim: CurrentRun,
    private readonly ports: SessionPorts,
  ) {
    this.supervise(claim);
  }

  get run(): string {
    return this.claim.run;
  }

  /** Whether the context says something of this run that is not on the log. */
  get wasRefused(): boolean {
    return this.writer !== null && this.writer.lost !== null;
  }

  /** Obeys what is known of the session's current run. */
  supervise(current: CurrentRun | null): void {
    if (current?.run !== this.run) return;
    const isOurs = current.worker === this.claim.worker && current.epoch === this.claim.epoch;
    if (!isOurs) this.controller.abort(new ClaimLost(this.run));
    else if (current.isCancelRequested) this.controller.abort(new RunCancelled());
  }

  /** A claim that is on the log. Its run may have ended since: then what is current tells nothing of it. */
  heardClaim(run: RunId, revision: Revision): void {
    if (run === this.run && revision > this.claim.claimed) this.controller.abort(new ClaimLost(run));
  }

  /** What others wrote about the run: a decision, its result, a message. */
  hear(event: RecordedSessionEvent): void {
    if (event.meta.run !== this.run) return;
    if (this.record === null) this.early.push(event);
    // A decision that counts twice is one that is never seen.
    else if (event.revision > this.readTo) this.record.hear(event);
  }

  /** An event that ends a turn is on the log. */
  placed({ type, revision, meta }: RecordedEvent): void {
    if (meta.run === this.run && revision > this.readTo) this.record?.placed(type, revision);
  }

  /** The session is erased: there is nothing left to write to. */
  lose(): void {
    this.controller.abort(new ClaimLost(this.run));
  }

  /** Goes no further than the model turn or the tool calls that are under way. */
  drain(): void {
    this.isDraining = true;
    this.driver?.drain();
  }

  stop(): void {
    this.controller.abort(new RunStopped());
  }

  /**
   * Drives the run to its end; null where it is no longer this process's, or waits for somebody.
   * @param isBegun the log holds more of it than its claim
   */
  drive(request: RequestEvent, context: LoadedContext, isBegun: boolean): Promise<RunEnd | null> {
    const { watch = UNWATCHED } = this.ports.driver;
    return watch.run(this.factsOf(request), () => this.driveOn(request, context, isBegun));
  }

  private factsOf({ data: { mode, model, trigger }, meta, time }: RequestEvent): RunFacts {
    const { run, epoch } = this.claim;
    const { project } = meta;
    const facts = { run, session: this.session.id, project, mode, model, trigger, requestedAt: time, epoch };
    return { ...facts, cause: meta.traceparent, usage: () => this.record?.state.spent ?? NO_CALLS };
  }

  private async driveOn(
    request: RequestEvent,
    context: LoadedContext,
    isBegun: boolean,
  ): Promise<RunEnd | null> {
    const { log, driver, contents, logger, clock } = this.ports;
    const { id, journal } = this.session;
    const { run, controller } = this;
    const writer = new RunWriter(this.claim, request.meta, (reason) => controller.abort(reason));
    this.writer = writer;
    const chain = await this.chainOf(context);
    const { config } = chain.at(-1)!;
    const workflows = new WorkflowRuns(config.workflows ?? []);
    const replay = await this.replayOf(request, config);
    const { claimed } = this.claim;
    const loaded = isBegun
      ? await loadRun(log, journal.stream, chain, claimed, context, { workflows, replay })
      : null;
    if (isBegun && loaded === null) return null;
    const state = loaded?.state ?? begun(chain.at(-1)!);
    const { project } = request.meta;
    // Those of the request, or what a response has asked for since then.
    const tools = { session: id, run, project, config: state.config };
    const told = { state, context: context.fold, workflows, replay };
    const record = new RunRecord({ session: id, journal, writer, contents, ...told });
    this.record = record;
    this.readTo = loaded?.upTo ?? claimed;
    for (const event of this.early.splice(0)) this.hear(event);
    const toolbox = replay?.toolbox ?? (await this.openTools(tools));
    const end = await this.driveWith(
      new Driver(driver, record, toolbox, controller, () => this.openTools(tools)),
    );
    if (end === null) return null;
    const ms = clock.now() - request.time;
    const { correlationId } = request.meta;
    logger.info({ request: correlationId, run, session: id, project, status: end.kind, ms }, 'run ended');
    return end;
  }

  private async replayOf({ data }: RequestEvent, config: RunConfig): Promise<Replay | null> {
    const { log, contents } = this.ports;
    return data.replay_of === undefined
      ? null
      : Replay.open(await loadRecord(log, contents, data.replay_of), config);
  }

  /** The run, behind those that it goes on with. */
  private chainOf({ chain }: LoadedContext): Promise<readonly RunToLoad[]> {
    const { contents } = this.ports;
    const { id } = this.session;
    return Promise.all(
      chain.map(async (part) => ({
        request: part,
        config: await contents.object(id, part.data.config),
      })),
    );
  }

  /** A run that is to end before its tools are open needs none. */
  private async openTools(request: ToolboxRequest): Promise<Toolbox> {
    const { signal } = this.controller;
    try {
      const toolbox = await this.ports.toolboxes.open(request, signal);
      this.opened.push(toolbox);
      return toolbox;
    } catch (error) {
      if (!signal.aborted) throw error;
      const { current } = this.session.journal.state;
      if (signal.reason instanceof RunCancelled && current?.run === this.run)
        this.session.tasks.tellCancelled(current);
      return NO_TOOLS;
    }
  }

  private async driveWith(driver: Driver): Promise<RunEnd | null> {
    this.driver = driver;
    if (this.isDraining) driver.drain();
    try {
      return await driver.drive();
    } finally {
      await Promise.all(this.opened.map((toolbox) => toolbox.close()));
    }
  }
}

const NO_TOOLS: Toolbox = { tools: [], close: () => Promise.resolve() };
