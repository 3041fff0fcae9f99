import { isFileRef, isPublicType } from '#domain';
import type { Ask } from '../world/ledger.js';
import { type Evidence, type SessionLog, type SessionRecord, at, require } from './evidence.js';

const BEGINNING = 'C7 a request begins with the one before it';
const NAMED = 'C7 a compaction names what it stands for';

/**
 * C7: a compaction names events of the session that were shown before it, the later ones of them later and later; a summary is
 * what the model said, and was paid for; and between two compactions each request begins with the one before, whoever asked.
 */
export function checkCompactions(session: SessionLog, evidence: Evidence): void {
  const { events } = session;
  let from: string | null = null;
  let through = -1;
  for (const [i, event] of events.entries()) {
    if (event.type === 'messages_cleared') [from, through] = [null, -1];
    if (event.type !== 'agent_compacted') continue;
    const { data } = event;
    const wrong = () => `${at(event)}: from ${data.from} through ${data.through}`;
    const isShown = (id: string): boolean => isPublicType(events[Number(id)]?.type ?? '') && Number(id) < i;
    require(isShown(data.from) && isShown(data.through), NAMED, wrong);
    // What a run still writes whose session was cleared begins before the clear.
    if (isUnderWay(events, i)) {
      require(from === null || from === data.from, NAMED, wrong);
      // As much as the one before, where only the message goes that it had kept.
      require(Number(data.through) >= through, NAMED, wrong);
      [from, through] = [data.from, Number(data.through)];
    }
    if (data.content === '') continue;
    const { content } = data;
    const text = isFileRef(content) ? evidence.textOf(session.id, content.$file) : content;
    require(evidence.ledger.summaries.includes(text), 'C7 a summary is what the model said', wrong);
    const paid = events[i + 1];
    require(paid?.type === 'model_called' &&
      paid.data.kind === 'compaction', 'C7 a summary is paid for', wrong);
  }
  checkBeginnings(session, evidence);
}

/** Whether the session was not cleared since the run of an event started. */
function isUnderWay(events: readonly SessionRecord[], i: number): boolean {
  const { run } = events[i]!.meta;
  const started = events.findLastIndex(
    (event, n) => n < i && event.type === 'agent_started' && event.meta.run === run,
  );
  return !events.slice(started, i).some(({ type }) => type === 'messages_cleared');
}

function checkBeginnings({ id, events }: SessionLog, { ledger, nameOf }: Evidence): void {
  const messages = new Set(
    events.flatMap((event) => (event.type === 'run_requested' ? [event.data.message] : [])),
  );
  const placesOf = (...types: readonly string[]) =>
    events.filter(({ type }) => types.includes(type)).map(({ position }) => position);
  const changes = placesOf('agent_compacted', 'session_erased');
  const clears = placesOf('messages_cleared');
  const starts = placesOf('agent_started');
  let before: Ask | null = null;
  for (const ask of ledger.asks) {
    if (ask.step !== null || !messages.has(ask.message)) continue;
    const claim = events.findLast((event) => event.type === 'run_claimed' && event.position <= ask.at);
    // Whoever has lost its run without having heard of it knows no better.
    if (claim?.type !== 'run_claimed' || nameOf(claim.data.worker) !== ask.worker) continue;
    const last: Ask | null = before;
    before = ask;
    if (last === null) continue;
    const started = starts.findLast((position) => position <= last.at) ?? -1;
    const isBetween = (positions: readonly number[], since: number): boolean =>
      positions.some((position) => position > since && position <= ask.at);
    // A run keeps its context when the session is cleared; the next one begins with nothing.
    if (isBetween(changes, last.at) || isBetween(clears, started)) continue;
    const isSame = last.told.every((message, n) => ask.told[n] === message);
    require(isSame, BEGINNING, () => `${id}: ${ask.worker} asked at ${ask.at}, ${last.worker} at ${last.at}`);
  }
}
