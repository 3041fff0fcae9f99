import { type SessionId, sessionStream } from '#domain';
import type { ContentKeys, EventLog, ReadOptions, RecordedEvent } from '#event-log';
import { saltOfEvent } from '#event-log';

/** Events that are read at once. */
const PAGE_EVENTS = 200;

/** Reads a session's events with their proofs, and open, where their key is there. */
export class SessionPages {
  constructor(
    private readonly log: EventLog,
    private readonly keys: ContentKeys,
  ) {}

  /** @throws LogUnavailable */
  async *read(
    session: SessionId,
    options: Pick<ReadOptions, 'after' | 'limit'>,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    const stream = sessionStream(session);
    let [after, left] = [options.after ?? -1, options.limit ?? Infinity];
    while (left > 0) {
      const events = await this.page(stream, after, Math.min(PAGE_EVENTS, left));
      if (events.length === 0) return;
      yield events;
      after = events.at(-1)!.revision;
      left -= events.length;
    }
  }

  /** What opens an event's commitment; null: it does not open. */
  saltOf({ id, json, isErased, meta: { keyId } }: RecordedEvent): string | null {
    if (json === '' || isErased === true) return null;
    const key = keyId === undefined ? null : this.keys.peek(keyId);
    return key === undefined || key === 'destroyed' ? null : saltOfEvent(key, id).toString('hex');
  }

  /** Read again where a key had to be loaded first. */
  private async page(stream: string, after: number, limit: number): Promise<readonly RecordedEvent[]> {
    for (;;) {
      const events: RecordedEvent[] = [];
      for await (const page of this.log.readStream(stream, { after, limit, isRaw: true }))
        events.push(...page);
      const named = new Set(events.flatMap(({ meta: { keyId } }) => (keyId === undefined ? [] : [keyId])));
      const wanted = [...named].filter((id) => this.keys.peek(id) === undefined);
      if (wanted.length === 0) return events;
      const lost = await this.keys.loadAll(wanted);
      // What nobody has the key of stays as it is.
      if (lost.length === wanted.length) return events;
    }
  }
}

/** The fields of an event that an export's line has, in its order. */
export function lineFieldsOf({ revision, id, type, time, meta, raw }: RecordedEvent): object {
  const { schemaVersion, project, actor, run, causationId, correlationId } = meta;
  const { commitment = '', prev = '' } = raw ?? {};
  const named = { revision, id, type, time, schemaVersion, project, actor };
  // What is not there is left out.
  const given = {
    run: run || undefined,
    causationId: causationId || undefined,
    correlationId: correlationId || undefined,
  };
  return { ...named, ...given, commitment, prev };
}
