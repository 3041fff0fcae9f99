import { type RecordedTaskEvent, type RunId, isEndType, isPublicType, sessionStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { Received } from '../support/callback-receiver.js';
import { type StoredContents, publicJsonOf } from './evidence.js';
import type { Verdict } from './verdict.js';

/** I7: a slot fires once, and each firing is one run. */
export function checkTasks(log: readonly RecordedEvent[], verdict: Verdict): number {
  const requests = log.filter(({ type }) => type === 'run_requested');
  const times = Map.groupBy(requests, ({ meta }) => meta.run ?? '');
  const slots = new Set<string>();
  let fired = 0;
  for (const event of log) {
    if (event.type !== 'task_fired') continue;
    const { run, slot } = (event as unknown as Extract<RecordedTaskEvent, { type: 'task_fired' }>).data;
    const name = `${event.stream} ${slot}`;
    fired += 1;
    if (slots.has(name)) verdict.doubled += 1;
    verdict.require(!slots.has(name), () => `${name} fired twice`);
    slots.add(name);
    const runs = times.get(run)?.length ?? 0;
    verdict.require(runs === 1, () => `${name}: ${runs} runs`);
  }
  const open = log.filter(({ type }) => type === 'task_scheduled').length - fired;
  verdict.require(open === 0, () => `${open} tasks never fired`);
  return fired;
}

/** I11: every event of a run with a callback was sent, the first time in its order, always with the same bytes and id. */
export function checkCallbacks(
  received: readonly Received[],
  log: readonly RecordedEvent[],
  contents: StoredContents,
  verdict: Verdict,
): number {
  const byRun = Map.groupBy(received, ({ run }) => run);
  const eventsOf = Map.groupBy(log, ({ meta }) => meta.run);
  let runs = 0;
  for (const request of log) {
    const { run = '' } = request.meta;
    if (request.type !== 'run_requested' || !('callback' in request.data)) continue;
    runs += 1;
    const session = request.stream.slice('session-'.length);
    const expected = (eventsOf.get(run) ?? [])
      .filter((e) => e.stream === sessionStream(session) && isPublicType(e.type))
      .map((event) => publicJsonOf(event, session, contents));
    checkRun(run, expected, byRun.get(run) ?? [], verdict);
  }
  return runs;
}

function checkRun(
  run: string,
  expected: readonly string[],
  received: readonly Received[],
  verdict: Verdict,
): void {
  let last = 0;
  const ids = new Map<number, string>();
  for (const { sequence, body, id } of received) {
    verdict.require(
      body === expected[sequence - 1],
      () => `${run}: callback ${sequence} is ${body.slice(0, 200)}`,
    );
    verdict.require((ids.get(sequence) ?? id) === id, () => `${run}: callback ${sequence} has two ids`);
    ids.set(sequence, id);
    // A relay that was frozen may be late: what it sends again receivers know by its number.
    if (sequence > last + 1) verdict.reordered += 1;
    verdict.require(sequence <= last + 1, () => `${run}: callback ${sequence} came after ${last}`);
    last = Math.max(last, sequence);
  }
  if (last < expected.length) verdict.lost += expected.length - last;
  verdict.require(last === expected.length, () => `${run}: ${last} of ${expected.length} callbacks`);
}

/** Whether every firing has its run: one that was left undone is mended within half a minute. */
export function areStarted(log: readonly RecordedEvent[]): boolean {
  const started = new Set(log.filter(({ type }) => type === 'run_requested').map(({ meta }) => meta.run));
  return log.every(({ type, data }) => type !== 'task_fired' || started.has((data as { run: RunId }).run));
}

/** Whether every run with a callback has had its last event sent. */
export function areSent(received: readonly Received[], log: readonly RecordedEvent[]): boolean {
  const sent = runsSent(received);
  return log.every(
    ({ type, data, meta }) => type !== 'run_requested' || !('callback' in data) || sent.has(meta.run ?? ''),
  );
}

/** The runs whose last event was sent. */
export const runsSent = (received: readonly Received[]): ReadonlySet<string> =>
  new Set(received.filter(({ body }) => isEndType(typeOf(body))).map(({ run }) => run));

const typeOf = (body: string): string => (JSON.parse(body) as { type: string }).type;
