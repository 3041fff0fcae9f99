import {
  type Content,
  type FileRef,
  type Revision,
  type RunConfig,
  type RunMetadata,
  type SessionId,
  UNREADABLE_TEXT,
  asSessionEvent,
  isFileRef,
  sessionStream,
} from '#domain';
import {
  type ListedRun,
  type SessionChanges,
  type TitleSource,
  type WantedMessage,
  titleOf,
} from '#projections';
import { type ContentStore, FileMissing } from '#vault';
import { type EventLog, eventAt } from '#event-log';
import type { ApiKeyChange } from './api-key-events.js';
import type { MetadataTokens } from '../metadata-tokens.js';
import type {
  Changes,
  MessageRow,
  ParkedStream,
  RunMetadataRow,
  RunRow,
  SessionRow,
  TaskRow,
} from './rows.js';

/** Gathers what a batch changes, and fetches what its events only refer to. */
export class BatchChanges {
  private readonly sessions: SessionChanges[] = [];
  private readonly keys: ApiKeyChange[] = [];
  private readonly parked: ParkedStream[] = [];
  private readonly requested = new Set<ListedRun>();

  constructor(
    private readonly log: EventLog,
    private readonly content: ContentStore,
    private readonly tokens: MetadataTokens,
  ) {}

  /** A run that was not there before. */
  addRequest(run: ListedRun): void {
    this.requested.add(run);
  }

  addSession(changes: SessionChanges | null): void {
    if (changes !== null) this.sessions.push(changes);
  }

  addKey(change: ApiKeyChange): void {
    this.keys.push(change);
  }

  park(stream: ParkedStream): void {
    this.parked.push(stream);
  }

  async finish(tasks: readonly TaskRow[], freed: readonly string[] = []): Promise<Changes> {
    const { sessions, keys, parked } = this;
    const messages = sessions.flatMap((s) => s.messages);
    for (const changes of sessions) {
      for (const wanted of changes.wanted) messages.push(await this.request(wanted));
      if (changes.titleFrom !== null) await this.setTitle(changes.row, changes.titleFrom);
    }
    const runs: RunRow[] = [];
    for (const run of sessions.flatMap((changes) => changes.runs)) runs.push(await this.withMetadata(run));
    return {
      sessions: sessions.map((s) => s.row),
      runs,
      modelCalls: [],
      metadata: [...this.requested].flatMap((run) => this.tokensOf(run)),
      messages,
      cleared: sessions.flatMap(({ row, clearedTo }) =>
        clearedTo === null ? [] : [{ session: row.session, revision: clearedTo }],
      ),
      tasks,
      actions: [],
      callbacks: [],
      keysIssued: keys.flatMap((k) => (k.kind === 'issued' ? [k.row] : [])),
      keysRevoked: keys.flatMap((k) => (k.kind === 'revoked' ? [k] : [])),
      parked,
      freed,
      erased: [],
    };
  }

  private async request({ session, revision, requested }: WantedMessage): Promise<MessageRow> {
    const message = await requestedMessage(this.log, session, requested);
    return { session, revision, type: 'user_message', pieces: [message] };
  }

  /** Where the configuration lies in a file it is read, once. */
  private async withMetadata(run: ListedRun): Promise<RunRow> {
    const { metadata, session } = run;
    if (!isFileRef(metadata)) return { ...run, metadata };
    run.metadata = await this.metadataIn(session, metadata);
    return { ...run, metadata: run.metadata };
  }

  private async metadataIn(session: SessionId, file: FileRef): Promise<RunMetadata> {
    try {
      return (await this.content.object<RunConfig>(session, file)).metadata ?? {};
    } catch (error) {
      if (error instanceof FileMissing) return {};
      throw error;
    }
  }

  private tokensOf({ run, session, project, metadata }: ListedRun): RunMetadataRow[] {
    if (isFileRef(metadata)) return [];
    return Object.entries(metadata).map(([key, value]) => ({
      run,
      session,
      project,
      keyToken: this.tokens.of(project, key),
      token: this.tokens.of(project, key, value),
    }));
  }

  private async setTitle(row: SessionRow, from: TitleSource): Promise<void> {
    const message = from.message ?? (await requestedMessage(this.log, row.session, from.at));
    try {
      row.title = titleOf(isFileRef(message) ? await this.content.text(row.session, message) : message);
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error;
    }
  }
}

/** The message of the run that was requested at this revision. */
export async function requestedMessage(
  log: EventLog,
  session: SessionId,
  requested: Revision,
): Promise<Content> {
  // A claim that cannot be read does not say which.
  if (requested < 0) return UNREADABLE_TEXT;
  const recorded = await eventAt(log, sessionStream(session), requested);
  const event = recorded === undefined ? undefined : asSessionEvent(recorded);
  if (event?.type === 'run_requested') return event.data.message;
  throw new Error(`${session} has no run_requested at ${requested}`);
}
