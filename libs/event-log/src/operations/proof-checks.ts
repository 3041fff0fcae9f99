import { type Upcast, openData, shownAs, StoredEvent } from '../codec.js';
import type { RecordedEvent } from '../envelope.js';
import { LogUnavailable } from '../event-log.js';
import { commitmentOf } from '../sealing/content-key.js';
import type { ContentKeys, KnownKey } from '../sealing/content-keys.js';
import { StreamChain } from '../proof.js';

/** A fault, and the event that has it. */
export interface ProofFault {
  readonly event: RecordedEvent;
  readonly what: string;
}

interface Group {
  readonly first: RecordedEvent;
  readonly last: RecordedEvent;
}

/** Verification state at the end of a stream. */
interface Link {
  readonly chain: StreamChain;
  /**
   * The events that the next chained one refers to: the last chained one, and the unchained ones after it.
   */
  group: Group | null;
  /** An event that does not match what precedes it (`before`), not yet confirmed by its successor. */
  broken: { readonly at: RecordedEvent; readonly before: Group | null } | null;
}

const NOT_IN_ORDER =
  'it does not follow what stands before it: it was edited, inserted, moved or put out of order, or an event is missing before it';

/**
 * Verifies commitments (where the key exists) and each stream's hash chain. Owns the end of each stream. A
 * content mismatch names that event. A chain mismatch names the event that does not match, unless its
 * successor confirms it: then the one before it, or the first of those that it refers to.
 */
export class ProofChecks {
  private readonly links = new Map<string, Link>();
  /** Number of events whose content matched its commitment. */
  proven = 0;
  /** Number of events whose key is destroyed. */
  erased = 0;

  constructor(private readonly keys: ContentKeys) {}

  /**
   * Decrypts raw events.
   * @throws LogUnavailable where the key store does not answer
   */
  async open(events: readonly RecordedEvent[], upcast?: Upcast): Promise<readonly RecordedEvent[]> {
    const known = await this.keysOf(events);
    return events.map((event) => {
      const { raw, meta, stream, id } = event;
      if (raw === undefined) return event;
      const key = meta.keyId === undefined ? null : (known.get(meta.keyId) ?? null);
      return new StoredEvent(
        { ...event, ...shownAs(openData(raw.data, key, stream, id)), data: null },
        event,
        upcast,
      );
    });
  }

  /** Verifies the next event of the log, decrypted; returns its faults. */
  push(event: RecordedEvent): readonly ProofFault[] {
    const { stream, raw } = event;
    if (raw === undefined) return [];
    const faults: ProofFault[] = [];
    const content = this.contentFault(event);
    if (content !== undefined) faults.push({ event, what: content });
    const link = this.links.get(stream) ?? { chain: new StreamChain(stream), group: null, broken: null };
    this.links.set(stream, link);
    // A gap is said by itself; of what stands before it nothing can be said.
    if (link.group !== null && event.revision !== link.group.last.revision + 1) link.group = null;
    if (raw.prev !== '') {
      const fits = raw.prev === link.chain.prev;
      if (link.broken !== null) faults.push(blamed(link.broken, fits));
      link.broken = fits ? null : { at: event, before: link.group };
    }
    link.chain.push(event, raw);
    const first = raw.prev === '' ? (link.group?.first ?? event) : event;
    link.group = { first, last: event };
    return faults;
  }

  /** Faults that were waiting for a successor. */
  end(): readonly ProofFault[] {
    return [...this.links.values()].flatMap(({ broken }) => (broken === null ? [] : [blamed(broken, true)]));
  }

  private contentFault({ raw, meta, id, json, isErased }: RecordedEvent): string | undefined {
    if (raw === undefined) return undefined;
    if (isErased) {
      this.erased += 1;
      return undefined;
    }
    const key = meta.keyId === undefined ? null : this.keys.peek(meta.keyId);
    if (key === undefined) return `its key ${meta.keyId} is not in the key store`;
    if (json === '') return 'its content does not open: it was edited, or moved from another place';
    this.proven += 1;
    const commitment = commitmentOf(key === 'destroyed' ? null : key, id, json);
    return commitment === raw.commitment ? undefined : 'its content is not what was committed to';
  }

  private async keysOf(events: readonly RecordedEvent[]): Promise<ReadonlyMap<string, KnownKey>> {
    const known = new Map<string, KnownKey>();
    for (const { keyId } of new Set(events.map(({ meta }) => meta)))
      if (keyId !== undefined && !known.has(keyId)) {
        const key = await this.keys.get(keyId).catch(missing);
        if (key !== null) known.set(keyId, key);
      }
    return known;
  }
}

/** `isWhole`: the successor confirms the event as it stands. */
function blamed({ at, before }: NonNullable<Link['broken']>, isWhole: boolean): ProofFault {
  if (!isWhole || before === null) return { event: at, what: NOT_IN_ORDER };
  const { first, last } = before;
  const which = first === last ? 'this one' : `one of revisions ${first.revision} to ${last.revision}`;
  return {
    event: first,
    what: `revision ${at.revision} refers to another: ${which} was edited, or one behind is missing`,
  };
}

function missing(error: unknown): null {
  if (error instanceof LogUnavailable) return null;
  throw error;
}
