import { type SessionState, asSessionEvent, type RunId, type StreamName } from '#domain';
import { DataUnreadable, type EventLog, NO_EVENTS, type RecordedEvent } from '#event-log';
import { type RequestEvent, findRequest, readRequest } from './load-session.js';

/** Says where the requests of a session's runs stand. */
type KnownRuns = Pick<SessionState, 'current' | 'waiting'>;

/** The `run_requested` of a session's runs. Owns those that were heard of here; others are read from the log. */
export class KnownRequests {
  private readonly heard = new Map<string, RequestEvent>();

  constructor(
    private readonly log: EventLog,
    private readonly stream: StreamName,
  ) {}

  get runs(): readonly string[] {
    return [...this.heard.keys()];
  }

  note(event: RecordedEvent): void {
    this.heard.set(event.meta.run ?? '', asSessionEvent(event) as RequestEvent);
  }

  forget(run: RunId): void {
    this.heard.delete(run);
  }

  /** Of one whose data do not open the envelope can be read. @throws ContentErased, LogUnavailable */
  async of(run: RunId, { current, waiting }: KnownRuns): Promise<RequestEvent> {
    const known = this.heard.get(run);
    if (known !== undefined) return known;
    const at = current?.run === run ? current.requested : waiting.find((w) => w.run === run)?.requested;
    return readRequest(this.log, this.stream, at === undefined || at < 0 ? await this.find(run) : at);
  }

  /** What a run is to be driven by. @throws DataUnreadable, too */
  async readable(run: RunId, state: KnownRuns): Promise<RequestEvent> {
    const request = await this.of(run, state);
    const { type, revision, isUnreadable } = request;
    if (isUnreadable) throw new DataUnreadable({ type, revision, stream: this.stream });
    return request;
  }

  /** A claim that cannot be read does not say where. */
  private async find(run: RunId): Promise<number> {
    const found = await findRequest(this.log, this.stream, { run, after: NO_EVENTS, upTo: 0 });
    return found?.revision ?? 0;
  }
}
