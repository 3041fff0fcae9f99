import { type ProjectId, type Revision, type SessionId, sessionStream } from '#domain';
import {
  type ContentKeys,
  type EventLog,
  type RecordedEvent,
  isErasure,
  lastRevisionOf,
  eventAt,
} from '#event-log';
import type { Clock } from '#platform';
import { filesNamedIn, fromUtf8 } from '#proof';
import type { StreamProof } from '#sealer';
import { type ContentStore, FileDamaged, FileMissing } from '#vault';
import { SessionPages, lineFieldsOf } from './session-pages.js';

/** Which texts an export opens. */
export interface Disclosure {
  /** As it was asked for: `all`, `none`, or revisions and ranges. */
  readonly asked: string;
  /** The highest revision that is named; -1: none is. */
  readonly highest: Revision;
  opens(revision: Revision): boolean;
}

/** Port: where a stream ends under a checkpoint. */
export interface StreamProofs {
  /** null: nothing can be shown now. */
  proofOf(stream: string, last: Revision): Promise<StreamProof | null>;
}

/** Whose log it is. */
export interface ExportOrigin {
  readonly origin: string;
  /** Keys that sign, as others write them down. */
  readonly keys: readonly string[];
}

export interface SessionExportPorts {
  readonly log: EventLog;
  readonly keys: ContentKeys;
  readonly contents: ContentStore;
  readonly clock: Clock;
  readonly proofs: StreamProofs;
  readonly origin: () => ExportOrigin;
}

/** What is known of a session before it is exported. */
export interface ExportedSession {
  readonly project: ProjectId;
  readonly last: Revision;
  /** Revision of its erasure; null: it is not erased. */
  readonly erasedAt: Revision | null;
}

/** How many events may stand behind an erasure: what was on its way when it came. */
const BEHIND_ERASURE = 100;

/** A session as others can check it without the service: docs/proof.md. Nothing of it is kept. */
export class SessionExport {
  private readonly read: SessionPages;

  constructor(private readonly ports: SessionExportPorts) {
    this.read = new SessionPages(ports.log, ports.keys);
  }

  /** Also of one that is erased. null: there is no such session. @throws LogUnavailable */
  async find(session: SessionId): Promise<ExportedSession | null> {
    const { log } = this.ports;
    const stream = sessionStream(session);
    const last = await lastRevisionOf(log, stream);
    const first = await eventAt(log, stream, 0, { isRaw: true });
    if (first === undefined) return null;
    return { project: first.meta.project, last, erasedAt: await this.erasedAt(stream) };
  }

  /** Its lines. What breaks off has no last line. @throws LogUnavailable */
  async *lines(
    session: SessionId,
    { last, erasedAt }: ExportedSession,
    disclosure: Disclosure,
  ): AsyncGenerator<string> {
    const { clock, proofs, origin } = this.ports;
    const stream = sessionStream(session);
    const proof = await proofs.proofOf(stream, last);
    const sealed = proof === null ? 0 : proof.last + 1;
    const events = Math.max(sealed, last + 1);
    const header = {
      annals: 'export/1',
      stream,
      session,
      exported_at: new Date(clock.now()).toISOString(),
      events,
      sealed,
      erased: erasedAt !== null && erasedAt < events,
      disclosed: disclosure.asked,
      ...origin(),
    };
    yield lineOf(header);
    if (proof !== null) {
      const { directory, path, proof: text } = proof;
      yield lineOf({ directory, path, proof: text });
    }
    for await (const page of this.read.read(session, { limit: events }))
      for (const event of page) yield* this.linesOf(session, event, disclosure);
    yield lineOf({ end: events });
  }

  private async *linesOf(
    session: SessionId,
    event: RecordedEvent,
    disclosure: Disclosure,
  ): AsyncGenerator<string> {
    const salt = disclosure.opens(event.revision) ? this.read.saltOf(event) : null;
    const { json: text } = event;
    yield lineOf({ ...lineFieldsOf(event), ...(salt === null ? {} : { salt, text }) });
    if (salt === null) return;
    for (const { name, bytes } of filesNamedIn(text)) {
      const content = await this.contentOf(session, { $file: name, bytes });
      if (content !== null) yield lineOf({ file: name, text: content });
    }
  }

  /** null: it is no text, or not there any more. @throws LogUnavailable */
  private async contentOf(
    session: SessionId,
    file: { readonly $file: string; readonly bytes: number },
  ): Promise<string | null> {
    try {
      return fromUtf8(await this.ports.contents.bytes(session, file));
    } catch (error) {
      if (error instanceof FileMissing || error instanceof FileDamaged || isErasure(error)) return null;
      throw error;
    }
  }

  private async erasedAt(stream: string): Promise<Revision | null> {
    const options = { backwards: true, limit: BEHIND_ERASURE, isRaw: true };
    for await (const page of this.ports.log.readStream(stream, options))
      for (const { type, revision } of page) if (type === 'session_erased') return revision;
    return null;
  }
}

const lineOf = (line: object): string => `${JSON.stringify(line)}\n`;
