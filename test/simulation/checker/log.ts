import { CLEAR_TYPES } from '#vault';
import { sessionOfRun, sessionStream } from '#domain';
import { type RecordedEvent, StreamChain } from '#event-log';
import { at, require } from './evidence.js';

/** I3, of the log itself: no id twice, revisions without gaps, positions that rise, each event's `prev` what it follows. */
export function checkLog(log: readonly RecordedEvent[]): void {
  const ids = new Set<string>();
  const next = new Map<string, number>();
  const chains = new Map<string, StreamChain>();
  let position = 0;
  for (const event of log) {
    // A note that nobody reads twice: it is appended whatever stands there, and an unknown outcome may store it again.
    const mayRepeat = event.type === 'relay_checkpointed';
    require(mayRepeat || !ids.has(event.id), 'I3 ids are unique', () =>
      `${at(event)} has the id ${event.id} of another`);
    ids.add(event.id);
    const revision = next.get(event.stream) ?? 0;
    require(event.revision === revision, 'I3 revisions have no gaps', () =>
      `${at(event)}, expected ${revision}`);
    next.set(event.stream, revision + 1);
    require(event.position > position, 'I3 positions rise', () => at(event));
    position = event.position;
    const chain = chains.get(event.stream) ?? new StreamChain(event.stream);
    const { raw } = event;
    require(raw !== undefined && (raw.prev === '' || raw.prev === chain.prev), 'I3 the chain holds', () =>
      at(event));
    if (raw) chain.push(event, raw);
    chains.set(event.stream, chain);
  }
  checkKeys(log);
}

/** What a session's key seals goes with it: there is one for all that belongs to a session. */
function checkKeys(log: readonly RecordedEvent[]): void {
  const keys = new Map<string, string | undefined>();
  for (const event of log) if (event.revision === 0) keys.set(event.stream, event.meta.keyId);
  for (const event of log) {
    const { stream, meta } = event;
    const session = stream.startsWith('delivery-') ? sessionOfRun(stream.slice('delivery-'.length)) : null;
    const owner = session === null ? stream : sessionStream(session);
    const key = CLEAR_TYPES.has(event.type) ? undefined : keys.get(owner);
    require(meta.keyId === key, 'I12 sealed with the key of its session', () => at(event));
  }
}
