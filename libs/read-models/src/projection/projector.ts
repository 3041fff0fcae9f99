import {
  asSessionEvent,
  knownSessionEvent,
  runOfDeliveryStream,
  sessionOfStream,
  taskOfStream,
  type Revision,
  type SessionId,
  type StreamName,
} from '#domain';
import { type ContentStore } from '#vault';
import {
  type EventLog,
  type FollowerBatch,
  type FollowerTarget,
  LogUnavailable,
  type RecordedEvent,
} from '#event-log';
import type { Logger } from '#platform';
import { type Checkpoint, CheckpointMoved } from '#postgres';
import { ReadModelsUnavailable } from '../unavailable.js';
import type { MetadataTokens } from '../metadata-tokens.js';
import { ActionRows } from './action-rows.js';
import { CallbackRows, DeliveryFolds } from './callback-rows.js';
import { changeOfKey } from './api-key-events.js';
import { BatchChanges } from './batch-changes.js';
import { ModelCallRows } from './model-call-rows.js';
import { type Changes, type KeyIds, NO_CHANGES, type ReadModelStore, isEmpty } from './rows.js';
import { SessionCache } from './session-cache.js';
import { TaskRows } from './task-rows.js';

export const PROJECTED_PREFIXES = ['session-', 'apikey-', 'task-', 'delivery-'] as const;

export interface ProjectorPorts {
  readonly store: ReadModelStore;
  readonly log: EventLog;
  readonly content: ContentStore;
  readonly logger: Logger;
  readonly tokens: MetadataTokens;
}

/** What a batch changes beside its sessions. */
interface BatchRows {
  readonly batch: BatchChanges;
  readonly tasks: TaskRows;
  readonly actions: ActionRows;
  readonly calls: ModelCallRows;
  readonly callbacks: CallbackRows;
}

/** Positions that may pass without a change of a row before the checkpoint is written all the same. */
const UNWRITTEN_POSITIONS = 5_000;

/**
 * Turns events into rows. Owns the folds of the live sessions and what it knows of the checkpoint.
 * 1. Rows and checkpoint are written together, guarded by the old checkpoint; a batch that changes no row (pieces of
 *    text) may leave both as they are, for it can be read again.
 * 2. After any failure the folds are forgotten: the tables are the truth.
 * 3. Of a stream with an event that cannot be projected nothing is projected from that event on; it is tried again at
 *    the next start. Other streams go on.
 */
export class Projector implements FollowerTarget {
  private readonly cache: SessionCache;
  private readonly deliveries: DeliveryFolds;
  private written: Checkpoint | null = null;
  private readonly parked = new Map<string, number>();
  private hasReplayed = false;

  constructor(private readonly ports: ProjectorPorts) {
    this.cache = new SessionCache(ports.store, ports.log);
    this.deliveries = new DeliveryFolds(ports.log);
  }

  /** Streams that are parked now. */
  get parkedStreams(): number {
    return this.parked.size;
  }

  async load(): Promise<Checkpoint | null> {
    this.forget();
    this.written = await this.ports.store.loadCheckpoint();
    this.parked.clear();
    for (const { stream, revision } of await this.ports.store.loadParked()) this.parked.set(stream, revision);
    if (!this.hasReplayed) await this.replayParked();
    this.hasReplayed = true;
    return this.written;
  }

  /** @throws CheckpointMoved, ReadModelsUnavailable */
  async apply({ logId, events, to }: FollowerBatch): Promise<void> {
    try {
      const changes = await this.changesOf(events);
      if (isEmpty(changes) && !this.isDue(to)) return;
      await this.commit(changes, { logId, position: to }, keyIdsOf(events, changes));
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  async park(event: RecordedEvent, error: unknown): Promise<void> {
    const checkpoint = this.written ?? { logId: this.ports.log.logId, position: 0 };
    const parked = [this.parkAt(event, error)];
    await this.commit({ ...NO_CHANGES, parked }, checkpoint);
  }

  /** Writes how far the events were applied, where no row had to be changed since. */
  async writeCheckpoint(to: Checkpoint): Promise<void> {
    await this.commit(NO_CHANGES, to);
  }

  isTransient(error: unknown): boolean {
    return (
      error instanceof ReadModelsUnavailable ||
      error instanceof LogUnavailable ||
      error instanceof CheckpointMoved
    );
  }

  /** Other processes wait for the checkpoint; this one knows where its follower is. */
  private isDue(to: number): boolean {
    return !this.ports.log.exclusive || to - (this.written?.position ?? 0) >= UNWRITTEN_POSITIONS;
  }

  private async commit(changes: Changes, to: Checkpoint, keyIds?: KeyIds): Promise<void> {
    if (!(await this.ports.store.commit(changes, this.written, to, keyIds)))
      throw new CheckpointMoved('another projector wrote these tables; reading on from its checkpoint');
    this.written = to;
  }

  private async changesOf(all: readonly RecordedEvent[], freed: readonly string[] = []): Promise<Changes> {
    const erased = erasedIn(all);
    // Of what is erased, now or by what comes later in this batch, nothing is written but what was spent.
    const events = all.filter(
      (event) => event.isErased !== true && !erased.has(sessionOfStream(event.stream) ?? ''),
    );
    await this.cache.prepare(this.firstRevisions(events));
    const batch = new BatchChanges(this.ports.log, this.ports.content, this.ports.tokens);
    const calls = new ModelCallRows();
    for (const event of all)
      if (erased.has(sessionOfStream(event.stream) ?? '')) this.pushSpent(event, calls);
    const tasks = new TaskRows(this.ports.store);
    await tasks.prepare(events);
    const actions = new ActionRows(this.ports.store);
    await actions.prepare(events);
    const callbacks = new CallbackRows(this.ports.store, this.deliveries);
    await callbacks.prepare(events);
    const touched = new Set<string>();
    for (const event of events) {
      if (this.isParked(event)) continue;
      try {
        const session = sessionOfStream(event.stream);
        if (session !== null) {
          touched.add(session);
          this.pushSession(session, event, { batch, tasks, actions, calls, callbacks });
        } else if (runOfDeliveryStream(event.stream) !== null) callbacks.pushDelivery(event);
        else if (taskOfStream(event.stream) === null) batch.addKey(changeOfKey(event));
        else tasks.pushTask(event);
      } catch (error) {
        batch.park(this.parkAt(event, error));
      }
    }
    for (const session of touched) batch.addSession(this.cache.get(session)?.take() ?? null);
    for (const session of erased) this.cache.drop(session);
    const changes = await batch.finish(
      tasks.take().filter(({ session }) => !erased.has(session)),
      freed,
    );
    const taken = { actions: actions.take(), modelCalls: calls.take(), callbacks: callbacks.take() };
    return { ...changes, ...taken, erased: [...erased] };
  }

  private pushSession(session: SessionId, recorded: RecordedEvent, rows: BatchRows): void {
    const event = asSessionEvent(recorded);
    const fold = this.cache.get(session);
    fold?.push(event);
    const run = fold?.run(event.meta.run);
    if (event.type === 'run_requested') {
      rows.tasks.pushRequest(session, event);
      if (run?.requested === event.revision) rows.batch.addRequest(run);
    }
    rows.actions.push(session, event);
    rows.calls.push(session, event, run);
    rows.callbacks.push(session, event);
  }

  private pushSpent(recorded: RecordedEvent, calls: ModelCallRows): void {
    const session = sessionOfStream(recorded.stream);
    const event = knownSessionEvent(recorded);
    if (session !== null && event !== null) calls.push(session, event, undefined);
  }

  private firstRevisions(events: readonly RecordedEvent[]): Map<string, number> {
    const first = new Map<string, number>();
    let last = '';
    for (const event of events) {
      if (event.stream === last) continue;
      last = event.stream;
      const session = sessionOfStream(last);
      if (session !== null && !first.has(session) && !this.isParked(event))
        first.set(session, event.revision);
    }
    return first;
  }

  private isParked(event: RecordedEvent): boolean {
    return this.parked.size > 0 && event.revision >= (this.parked.get(event.stream) ?? Infinity);
  }

  /** Invariant 2. */
  private forget(): void {
    this.cache.clear();
    this.deliveries.clear();
  }

  /** Invariant 3. */
  private parkAt({ stream, revision, type }: RecordedEvent, error: unknown) {
    const reason = error instanceof Error ? error.name : 'unknown';
    this.parked.set(stream, revision);
    this.ports.logger.warn(
      { stream, revision, type, reason },
      'parked a stream: an event of it cannot be projected',
    );
    return { stream, revision, reason };
  }

  private async replayParked(): Promise<void> {
    const parked = [...this.parked];
    for (const [stream, revision] of parked) {
      this.parked.delete(stream);
      try {
        await this.replay(stream, revision);
      } catch (error) {
        if (this.isTransient(error)) throw error;
        this.forget();
        this.parked.set(stream, revision);
      }
      if (this.parked.has(stream)) continue;
      if (this.written !== null) await this.commit({ ...NO_CHANGES, freed: [stream] }, this.written);
      this.ports.logger.info({ stream, revision }, 'a parked stream could be projected');
    }
  }

  /** What the checkpoint passed of the stream meanwhile. */
  private async replay(stream: StreamName, revision: Revision): Promise<void> {
    const { written } = this;
    if (written === null) return;
    for await (const page of this.ports.log.readStream(stream, { after: revision - 1 })) {
      const missed = page.filter((event) => event.position <= written.position);
      const changes = await this.changesOf(missed);
      if (!isEmpty(changes)) await this.commit(changes, written, keyIdsOf(missed, changes));
      if (missed.length < page.length || this.parked.has(stream)) return;
    }
  }
}

/** The sessions that end with these events. What a replica that had not heard of it still appends changes nothing. */
const erasedIn = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(
    events.filter(({ type }) => type === 'session_erased').map(({ stream }) => sessionOfStream(stream) ?? ''),
  );

function keyIdsOf(events: readonly RecordedEvent[], { tasks }: Changes): KeyIds {
  const keyIds = new Map<string, string>();
  const sessionOfTask = new Map(tasks.map(({ task, session }) => [task, session]));
  for (const { stream, meta } of events) {
    if (meta.keyId === undefined) continue;
    const session = sessionOfStream(stream) ?? sessionOfTask.get(taskOfStream(stream) ?? '');
    if (session !== undefined) keyIds.set(session, meta.keyId);
  }
  return keyIds;
}
