import { Injectable } from '@nestjs/common';
import {
  type RecordedSessionEvent,
  type Revision,
  type SessionId,
  forkOf,
  knownSessionEvent,
  notFound,
  sessionStream,
} from '#domain';
import { EventLog, eventAt } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { ContentStore } from '#vault';
import { bytesWithTexts, withTexts } from './event-texts.js';

/** An event of a line, and the session in which it stands. */
export interface LineEvent {
  readonly event: RecordedSessionEvent;
  readonly session: SessionId;
}

interface Part {
  readonly session: SessionId;
  /** The last event of it. */
  readonly upTo: Revision;
}

/** Reads sessions from their beginning, what they were forked from first, with all of their texts. */
@Injectable()
export class LineEvents {
  constructor(
    private readonly log: EventLog,
    private readonly contents: ContentStore,
  ) {}

  /** @throws Problem not_found: the session is erased; LogUnavailable; what `weigh` throws */
  async *of(
    session: SessionId,
    weigh: Weigh = unweighed,
    upTo: Revision = Infinity,
  ): AsyncGenerator<LineEvent> {
    for (const part of await this.partsOf(session, upTo)) yield* this.eventsOf(part, session, weigh);
  }

  private async *eventsOf({ session, upTo }: Part, own: SessionId, weigh: Weigh): AsyncGenerator<LineEvent> {
    for await (const page of this.log.readStream(sessionStream(session))) {
      await weigh(bytesWithTexts(page));
      for (const event of page) {
        if (event.revision > upTo) return;
        if (event.isErased === true || event.type === 'session_erased') {
          if (session === own) throw notFound('the session');
          return;
        }
        const known = knownSessionEvent(event);
        if (known !== null)
          yield { event: await withTexts(known, event.json, session, this.contents), session };
      }
    }
  }

  /** The oldest first. */
  private async partsOf(session: SessionId, upTo: Revision): Promise<readonly Part[]> {
    const parts: Part[] = [];
    let part: Part | null = { session, upTo };
    while (part !== null) {
      parts.unshift(part);
      part = await this.parentOf(part.session);
    }
    return parts;
  }

  private async parentOf(session: SessionId): Promise<Part | null> {
    const first = await eventAt(this.log, sessionStream(session), 0);
    const opened = first === undefined || first.isErased === true ? null : knownSessionEvent(first);
    if (opened?.type !== 'session_opened') return null;
    const from = forkOf(opened.data)?.forked_from;
    return from === undefined ? null : { session: from.session, upTo: from.at };
  }
}
