import { isEndType, isPublicType, sessionStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import { type StoredContents, publicJsonOf } from './evidence.js';
import type { Verdict } from './verdict.js';
import type { Connection, Wish } from './witness.js';

/** I1, I2, I6: what clients were shown is on the log, the same bytes under the same ids, and nothing was left out. */
export function checkConnections(
  connections: readonly Connection[],
  log: readonly RecordedEvent[],
  contents: StoredContents,
  verdict: Verdict,
): void {
  const streams = Map.groupBy(log, (event) => event.stream);
  for (const connection of connections) {
    const events = streams.get(sessionStream(connection.session)) ?? [];
    checkOrder(connection, verdict);
    checkConnection(connection, events, contents, verdict);
  }
}

function checkOrder({ received, run, session }: Connection, verdict: Verdict): void {
  verdict.acknowledged += received.length;
  for (const [i, { id }] of received.entries()) {
    const before = received[i - 1]?.id ?? -1;
    if (id === before) verdict.doubled += 1;
    if (id < before) verdict.reordered += 1;
    verdict.require(id > before, () => `${run ?? session}: ${id} came after ${before}`);
  }
}

function checkConnection(
  { session, run, after, received, isEnded }: Connection,
  events: readonly RecordedEvent[],
  contents: StoredContents,
  verdict: Verdict,
): void {
  const expected = events.filter(
    ({ revision, type, meta }) =>
      revision > after && isPublicType(type) && (run === undefined || meta.run === run),
  );
  const stored = new Set(expected.map(({ revision }) => revision));
  for (const [i, { id, json }] of received.entries()) {
    const event = expected[i];
    const place = `${run ?? session} after ${after}, event ${i}`;
    if (!stored.has(id)) verdict.lost += 1;
    verdict.require(event?.revision === id, () => `${place}: got ${id}, the log has ${event?.revision}`);
    if (event?.revision !== id) return;
    const text = publicJsonOf(event, session, contents);
    verdict.require(text === json, () => `${place}: ${json.slice(0, 200)} instead of ${text.slice(0, 200)}`);
  }
  if (!isEnded || run === undefined) return;
  const last = expected[received.length - 1];
  verdict.require(last !== undefined && isEndType(last.type), () => `${run}: ended without an end`);
}

/** I2, I3, I4, I13: a wish is one run, where the answers said, with its message; what was refused is not there. */
export function checkWishes(
  wishes: readonly Wish[],
  log: readonly RecordedEvent[],
  contents: StoredContents,
  verdict: Verdict,
): void {
  const byMessage = new Map<string, RecordedEvent[]>();
  for (const event of log) {
    if (event.type !== 'run_requested') continue;
    const { message } = event.data as { message: string | { $file: string; bytes: number } };
    const text = contents.text(event.stream.slice('session-'.length), message);
    byMessage.set(text, [...(byMessage.get(text) ?? []), event]);
  }
  for (const wish of wishes) checkWish(wish, byMessage.get(wish.message) ?? [], verdict);
}

function checkWish(wish: Wish, stored: readonly RecordedEvent[], verdict: Verdict): void {
  const name = wish.message.slice(0, 60);
  const isUnanswered = wish.answers.length === 0;
  if (!isUnanswered && stored.length === 0) verdict.lost += 1;
  if (stored.length > 1) verdict.doubled += stored.length - 1;
  verdict.require(stored.length <= 1, () => `${name}: ${stored.length} runs of one wish`);
  verdict.require(isUnanswered || stored.length === 1, () => `${name}: answered, and not on the log`);
  if (isUnanswered && wish.lost === 0)
    verdict.require(
      stored.length === 0,
      () => `${name}: refused with ${wish.refusals.join()}, and on the log`,
    );
  for (const { session, run } of wish.answers)
    verdict.require(
      stored[0]?.meta.run === run && stored[0]?.stream === sessionStream(session),
      () => `${name}: answered as ${run}, on the log as ${stored[0]?.meta.run}`,
    );
}
