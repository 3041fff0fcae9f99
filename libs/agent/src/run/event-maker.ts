import { type Draft, isEndType } from '#domain';
import { type EventMeta, type NewEvent, newEvent } from '#event-log';
import type { Clock, Random } from '#platform';

/** Makes the events of one session's journal. Owns the next one's number: each has an id that no other will have. */
export class EventMaker {
  private ordinal = 0;
  private readonly idPrefix: string;

  constructor(private readonly ports: { readonly clock: Clock; readonly random: Random }) {
    const x = ports.random.hex(9);
    this.idPrefix = `${x.slice(0, 8)}-${x.slice(8, 12)}-8${x.slice(12, 15)}-8${x.slice(15, 18)}-`;
  }

  make(drafts: readonly Draft[], meta: EventMeta): NewEvent[] {
    const time = this.ports.clock.now();
    return drafts.map((draft) => {
      const id = this.idPrefix + (this.ordinal++).toString(16).padStart(12, '0');
      const ofRun = draft.run === undefined || draft.run === meta.run ? meta : { ...meta, run: draft.run };
      return newEvent({ id, type: draft.type, time, data: draft.data }, markedMeta(draft.type, ofRun));
    });
  }
}

/**
 * The id of a run stands in no event's hash (docs/log-format.md), but the cause does: where a run begins and ends it is named
 * so, and nobody can give one run's passage to another.
 */
const markedMeta = (type: string, meta: EventMeta): EventMeta =>
  meta.run !== undefined && (type === 'agent_started' || isEndType(type))
    ? { ...meta, causationId: meta.run }
    : meta;
