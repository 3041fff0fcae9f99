import { type OnBusy, type TaskCommand, isPublicType, sessionStream } from '#domain';
import { LogUnavailable } from '#event-log';
import type { StartRun, StartedRun } from '#runs';
import type { Owner } from '../engine/scheduler.js';
import { type Answer, refusalOf } from './client-answers.js';
import { ErasingClients } from './erasing-clients.js';
import type { Files } from './sim-files.js';
import { serversFor } from './sim-servers.js';
import { SimSink } from './sim-sink.js';
import type { Life, SimWorker } from './sim-worker.js';
import { type SimWorld, immortal, latency, momentOf } from './sim-world.js';
import type {
  CommandRequest,
  Connection,
  StartRequest,
  TaskCommandRequest,
  Transcript,
} from './transcript.js';

const PROJECT = 'default';
const MOST_RESUMED = 12;
const PAGE_SIZE = 3;

/** What else a request asks for, of what only some worlds have. */
export type Extras = Pick<StartRun, 'config' | 'schedules' | 'callback'> & { readonly hasServers: boolean };

/** What a client knows of a run that it may cancel or follow. */
interface KnownRun {
  readonly session: string;
  readonly run: string;
  readonly requested: number;
}

/**
 * All clients of a world: they start runs, cancel, clear and follow, on any worker, and try again where a connection
 * broke. Owns what they have been told.
 */
export class SimClients {
  readonly runs: KnownRun[] = [];
  readonly sessions: string[] = [];
  /** Requests and streams that are not done. */
  open = 0;
  readonly erasing: ErasingClients;
  readonly owner: Owner = immortal('client');
  private count = 0;

  constructor(
    private readonly world: SimWorld,
    private readonly workers: readonly SimWorker[],
    private readonly transcript: Transcript,
    archive: Files,
  ) {
    this.erasing = new ErasingClients(world, workers, transcript, this, archive);
  }

  start(options: { session?: string; message: string; onBusy: OnBusy } & Extras): void {
    const { session, message, onBusy, hasServers, ...extras } = options;
    const { tape } = this.world;
    const isKeyed = tape.choose(2) > 0;
    const actor = this.nextActor();
    const request: StartRequest = {
      actor,
      message,
      onBusy,
      isKeyed,
      tries: 0,
      unsettled: 0,
      others: [],
      ...(session === undefined ? {} : { session }),
    };
    this.transcript.starts.push(request);
    const command: StartRun = {
      ...(session === undefined ? {} : { session }),
      project: PROJECT,
      actor,
      message,
      mode: 'base',
      ...extras,
      ...(hasServers ? { mcpServers: serversFor(actor) } : {}),
      onBusy,
      trigger: 'request',
      ...(isKeyed ? { idempotency: { key: actor, payload: { message } } } : {}),
    };
    this.ask(request, command, tape.chance(700));
    // An impatient client sends the same request twice at once.
    if (isKeyed && tape.chance(150)) this.ask(request, command, false);
  }

  cancel({ session, run }: KnownRun): void {
    const request: CommandRequest = { kind: 'cancel', actor: this.nextActor(), session, run };
    this.command(request, (life) =>
      life.core.commands.cancel(run, { project: PROJECT, actor: request.actor }),
    );
  }

  clear(session: string): void {
    const request: CommandRequest = { kind: 'clear', actor: this.nextActor(), session };
    this.command(request, (life) =>
      life.core.commands.clear(session, { project: PROJECT, actor: request.actor }),
    );
  }

  commandTask(task: string, command: TaskCommand): void {
    const request: TaskCommandRequest = { command, task, actor: this.nextActor() };
    this.transcript.taskCommands.push(request);
    this.sendCommand(`${command} ${task}`, request, (life) =>
      life.core.tasks.command(task, command, { project: PROJECT, actor: request.actor }),
    );
  }

  /** Follows a run until its end, or a session until the world ends, over any number of connections. */
  follow(wish: { session: string; run?: string; after: number }): void {
    const { scheduler, tape } = this.world;
    const life = this.anyWorker().life;
    const again = (after: number) =>
      scheduler.after(this.owner, 200 + tape.choose(3000), 'client reconnects', () =>
        this.follow({ ...wish, after }),
      );
    if (life === null || life.isDraining) return void again(wish.after);
    this.connect(life, wish, again);
  }

  /** The last run from every place on, as a stream, and in pages. False: nobody is there who would stay. */
  resumeEverywhere(): boolean {
    const known = this.runs.findLast(({ session }) => !this.erasing.isErased(session));
    const life = this.workers[0]?.life;
    if (!life || life.isDraining) return this.runs.length === 0;
    for (const session of this.sessions) if (this.erasing.isErased(session)) this.erasing.look(session);
    if (known === undefined) return true;
    const { session, run, requested } = known;
    const ids = this.idsOf(session, run);
    for (const after of [requested, ...ids.slice(0, -1)].slice(-MOST_RESUMED))
      this.connect(life, { session, run, after }, () => undefined);
    const began = momentOf(this.world);
    this.readPages(life, { began, session, run, after: requested, end: 'served', received: [] });
    return true;
  }

  private readPages(life: Life, pages: Connection): void {
    this.open++;
    const { run = '', session, received } = pages;
    const after = received.at(-1)?.id ?? pages.after;
    life.streams.page({ session, run, after }, PAGE_SIZE).then(
      ({ items, hasMore }) => {
        this.open--;
        for (const { id, json } of items) received.push({ id, json, stored: id });
        if (hasMore) this.readPages(life, pages);
        else this.transcript.connections.push(pages);
      },
      (error: unknown) => this.world.violated('errors', `pages of ${run}: ${String(error)}`),
    );
  }

  private idsOf(session: string, run: string): number[] {
    const events = this.world.store.stream(sessionStream(session));
    return events
      .filter((event) => event.meta.run === run && isPublicType(event.type))
      .map((event) => event.revision);
  }

  connect(
    life: Life,
    wish: { session: string; run?: string; after: number },
    again: (after: number) => void,
  ): void {
    const { world } = this;
    const connection: Connection = { ...wish, began: momentOf(world), received: [], end: 'open' };
    this.transcript.connections.push(connection);
    if (wish.run !== undefined) this.open++;
    const cut = () => sink.cut();
    const sink = new SimSink(world, this.owner, connection, () => {
      if (wish.run !== undefined) this.open--;
      life.connections.delete(cut);
      if (connection.end === 'cut' && !hasEnd(connection))
        again(connection.received.at(-1)?.id ?? connection.after);
      else world.marks.hit('stream followed to its end');
    });
    if (connection.after > 0) world.marks.hit('connection resumed');
    life.connections.add(cut);
    life.streams.send(wish, sink).catch((error: unknown) => {
      if (!(error instanceof LogUnavailable)) world.violated('errors', `a stream failed: ${String(error)}`);
      sink.cut();
    });
  }

  private ask(request: StartRequest, command: StartRun, follows: boolean): void {
    request.unsettled++;
    this.try(request, command, follows);
  }

  private try(request: StartRequest, command: StartRun, follows: boolean): void {
    request.tries++;
    const { marks } = this.world;
    this.send(
      'start',
      (life) => life.core.startRun.start(command),
      (answer) => {
        if (answer.kind === 'ok') return this.started(request, answer.value, follows);
        marks.hit(answer.kind === 'cut' ? 'start cut' : `start refused ${answer.code}`);
        const mayRepeat = request.isKeyed && (answer.kind === 'cut' || !answer.isFinal);
        // Two at once may differ: the one is refused, the other takes effect unheard. Only the key tells.
        if (mayRepeat && request.answer?.kind !== 'started')
          this.later(request.tries, 'client tries again', () => this.try(request, command, follows));
        else if (answer.kind === 'refused') {
          request.unsettled--;
          request.answer ??= { kind: 'refused', codes: [] };
          if (request.answer.kind === 'refused') request.answer.codes.push(answer.code);
        }
      },
      command.session,
    );
  }

  private started(request: StartRequest, started: StartedRun, follows: boolean): void {
    this.world.marks.hit('run accepted');
    const { session, run, requested } = started;
    if (request.answer?.kind === 'started') request.others.push(started);
    else request.answer = { kind: 'started', session, run, requested };
    if (!this.sessions.includes(session)) this.sessions.push(session);
    if (!this.runs.some((known) => known.run === run)) this.runs.push(started);
    if (follows) this.follow({ session, run, after: requested });
  }

  private command(request: CommandRequest, work: (life: Life) => Promise<void>): void {
    this.transcript.commands.push(request);
    this.sendCommand(request.kind, request, work);
  }

  private sendCommand(
    label: string,
    request: Pick<CommandRequest, 'answer'>,
    work: (life: Life) => Promise<void>,
  ): void {
    this.send(label, work, (answer) => {
      if (answer.kind === 'ok') request.answer = { kind: 'done', at: this.world.store.head };
      else if (answer.kind === 'refused') request.answer = { kind: 'refused', code: answer.code };
    });
  }

  /** One request over one connection to some worker. */
  send<T>(
    label: string,
    work: (life: Life) => Promise<T>,
    done: (answer: Answer<T>) => void,
    /** That must be there. */
    session?: string,
  ): void {
    const { world } = this;
    const { scheduler } = world;
    this.open++;
    const worker = this.anyWorker();
    let isOpen = true;
    const answer = (what: Answer<T>) => {
      if (!isOpen) return;
      isOpen = false;
      this.open--;
      done(what);
    };
    scheduler.after(this.owner, latency(world), `${label} arrives at ${worker.replica}`, () => {
      const { life } = worker;
      if (life === null || life.isDraining) return answer({ kind: 'cut' });
      const cut = () => answer({ kind: 'cut' });
      life.connections.add(cut);
      const reply = (what: Answer<T>) =>
        scheduler.after(life.owner, latency(world), `${label} answered ${what.kind}`, () => {
          life.connections.delete(cut);
          answer(what);
        });
      work(life).then(
        (value) => reply({ kind: 'ok', value }),
        (error: unknown) =>
          reply(refusalOf(world, label, error, session !== undefined && !this.erasing.isErased(session))),
      );
    });
  }

  /** After a pause, the longer the more often it was tried. */
  later(tries: number, label: string, again: () => void): void {
    const { scheduler, tape } = this.world;
    scheduler.after(this.owner, pauseBefore(tries) + tape.choose(5000), label, again);
  }

  private anyWorker(): SimWorker {
    return this.workers[this.world.tape.choose(this.workers.length)] as SimWorker;
  }

  nextActor(): string {
    return `client_${++this.count}`;
  }
}

const pauseBefore = (tries: number): number => 250 * 2 ** Math.min(tries, 8);

const ENDS = ['"agent_completed"', '"agent_error"', '"agent_cancelled"'];

function hasEnd(connection: Connection): boolean {
  if (connection.run === undefined) return false;
  const last = connection.received.at(-1)?.json ?? '';
  return ENDS.some((type) => last.startsWith(`{"type":${type}`));
}
