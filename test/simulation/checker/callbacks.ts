import { webhookSignature } from '#delivery';
import { type DeliveryAttempt, asDeliveryEvent, deliveryStream, isPublicType } from '#domain';
import type { RecordedEvent } from '#event-log';
import { type Receipt, WEBHOOK_SECRET } from '../world/receivers.js';
import { jsonOf } from './clients.js';
import { type Evidence, type SessionLog, type SessionRecord, at, erasureOf, require } from './evidence.js';

interface Attempted {
  readonly event: RecordedEvent;
  readonly data: DeliveryAttempt;
  /** The life that wrote it. */
  readonly worker: string;
}

interface RunDeliveries {
  readonly run: string;
  readonly session: string;
  /** Public events, in order. */
  readonly events: readonly SessionRecord[];
  readonly receipts: readonly Receipt[];
  readonly attempts: readonly Attempted[];
  /** Sequences that somebody asked for again. */
  readonly resent: ReadonlySet<number>;
}

const MOST_ATTEMPTS = 10;
const LONGEST_PATIENCE_MS = 86_400_000;

/** Before this nothing is sent again, as the receiver said it. */
function askedOf(receipt: Receipt | undefined, now: number): number {
  const { retryAfterS = null, retryAt = null } = receipt ?? {};
  const asked = retryAt ?? now + (retryAfterS ?? 0) * 1000;
  return Math.min(asked, now + LONGEST_PATIENCE_MS);
}

/**
 * I11: receivers get the events of a run in the order of the log, at least once, under one id, signed, as the bytes that a
 * client of the stream gets; what is recorded as delivered is not sent again; nothing is left out unless it is given up.
 */
export function checkCallbacks(sessions: readonly SessionLog[], evidence: Evidence): void {
  const { ledger, log } = evidence;
  const receipts = Map.groupBy(ledger.receipts, (receipt) => receipt.run);
  const streams = Map.groupBy(
    log.filter((event) => event.stream.startsWith('delivery-')),
    (event) => event.stream,
  );
  for (const session of sessions)
    for (const request of session.events) {
      if (request.type !== 'run_requested') continue;
      const run = request.meta.run ?? '';
      const got = receipts.get(run) ?? [];
      if (request.data.callback === undefined) {
        require(got.length === 0, 'I11 who asks for nothing gets nothing', () => run);
        continue;
      }
      const events = session.events.filter((event) => event.meta.run === run && isPublicType(event.type));
      const recorded = streams.get(deliveryStream(run)) ?? [];
      const known = { run, session: session.id, events, receipts: got, ...readStream(recorded) };
      checkReceived(known, evidence);
      checkNotAgain(known, checkRecords(known, erasureOf(session) === null, evidence), evidence);
    }
}

function readStream(recorded: readonly RecordedEvent[]): Pick<RunDeliveries, 'attempts' | 'resent'> {
  const attempts: Attempted[] = [];
  const resent = new Set<number>();
  for (const event of recorded) {
    const known = asDeliveryEvent(event);
    if (known?.type === 'delivery_resend_requested') resent.add(known.data.sequence);
    if (known?.type !== 'delivery_attempted') continue;
    attempts.push({ event, data: known.data, worker: lifeOf(event.id) });
  }
  return { attempts, resent };
}

const lifeOf = (id: string): string => String(Number.parseInt(id.slice(0, 4), 16));
const isOfLife = (receipt: Receipt, worker: string): boolean => receipt.worker.replace(/^\D+/, '') === worker;
const isSuccess = (status: number | null): boolean => status !== null && status < 300;

function checkReceived({ run, session, events, receipts }: RunDeliveries, evidence: Evidence): void {
  const ids = new Map<number, string>();
  const taken = new Set<number>();
  for (const { sequence, request, status, isTaken } of receipts) {
    const { headers, body } = request;
    const told = () => `${run} ${sequence}: ${JSON.stringify(headers)} ${body}`;
    const event = events[sequence - 1];
    require(event !== undefined, 'I11 what is sent is on the log', told);
    require(body === jsonOf(event, session, evidence), 'I1 the same bytes', told);
    const id = headers['webhook-id'] ?? '';
    require((ids.get(sequence) ?? id) === id, 'I11 the id is the same each time', told);
    ids.set(sequence, id);
    const timestamp = Number(headers['webhook-timestamp']);
    const signature = webhookSignature(WEBHOOK_SECRET, id, timestamp, body);
    require(headers['webhook-signature'] === signature, 'I11 signed', told);
    require(sequence === 1 || taken.has(sequence - 1), 'I11 in the order of the log', told);
    if (isTaken || isSuccess(status)) taken.add(sequence);
  }
  require(new Set(ids.values()).size === ids.size, 'I11 ids are unique', () => run);
}

/** What is recorded happened, and all of it is recorded in the end. The attempt with which the run was given up. */
function checkRecords(
  { run, events, receipts, attempts }: RunDeliveries,
  mustBeAll: boolean,
  { marks }: Evidence,
): Attempted | null {
  let next = 1;
  let tries = 0;
  let givenUp: Attempted | null = null;
  const used = new Set<Receipt>();
  for (const attempt of attempts) {
    const { event, data, worker } = attempt;
    const { sequence, status, next_at, gave_up } = data;
    const told = () => `${at(event)}: ${JSON.stringify(data)}`;
    const matching = receipts.filter((r) => r.sequence === sequence && isOfLife(r, worker));
    require(status === null ||
      matching.some((r) => r.status === status), 'I11 what is recorded happened', told);
    // A relay records in the order in which it was answered.
    const answered = matching.find((r) => r.status === status && !used.has(r));
    if (answered !== undefined && status !== null) used.add(answered);
    if (data.is_resend || sequence !== next || givenUp !== null) continue;
    tries += 1;
    if (isSuccess(status)) {
      next += 1;
      tries = 0;
    }
    const asked = status === null ? event.time : askedOf(answered, event.time);
    if (next_at !== undefined) require(next_at >= asked, 'I11 Retry-After is heeded', told);
    require(status !== 410 || gave_up === true, 'I11 who is gone is left alone', told);
    if (gave_up !== true) continue;
    if (status !== 410) marks.hit('given up after a day');
    require(status === 410 || tries >= MOST_ATTEMPTS, 'I11 nothing is given up early', told);
    givenUp = attempt;
    marks.hit('delivery given up');
  }
  require(!mustBeAll || givenUp !== null || next > events.length, 'I11 every event is delivered', () =>
    `${run}: ${next} of ${events.length} is next`);
  return givenUp;
}

/**
 * Nobody sends what he knows to be delivered or stopped: what stands on the log before a record of his own, which goes
 * behind what he knows, and, alone on the log, all of it. Of several at once each may be late to hear of the other.
 */
function checkNotAgain(
  { run, receipts, attempts, resent }: RunDeliveries,
  givenUp: Attempted | null,
  { isExclusive, marks }: Evidence,
): void {
  const times = new Map<number, number>();
  for (const receipt of receipts) {
    const { sequence, sentAt } = receipt;
    const count = (times.get(sequence) ?? 0) + 1;
    times.set(sequence, count);
    if (count > 1) marks.hit('event sent again');
    if (resent.has(sequence)) continue;
    const before = attempts.filter(({ event }) => event.position <= sentAt);
    const last = isExclusive ? before.at(-1) : before.findLast(({ worker }) => isOfLife(receipt, worker));
    const known = last === undefined ? [] : before.slice(0, before.indexOf(last) + 1);
    const told = () => `${run} ${sequence} by ${receipt.worker} at ${sentAt}`;
    const done = known.find(({ data }) => data.sequence === sequence && isSuccess(data.status));
    require(done === undefined, 'I11 what is recorded delivered is not sent again', told);
    const isStopped = givenUp !== null && known.includes(givenUp);
    require(!isStopped, 'I11 nothing is sent after it was given up', told);
    const latest = known.findLast(({ data }) => data.sequence === sequence);
    const timestamp = Number(receipt.request.headers['webhook-timestamp']);
    // Clocks of two machines may differ.
    const isOwn = latest !== undefined && isOfLife(receipt, latest.worker);
    const dueS = isOwn ? Math.floor((latest.data.next_at ?? 0) / 1000) : 0;
    require(timestamp >= dueS, 'I11 the next attempt waits', () => `${told()}: at ${timestamp}, not ${dueS}`);
  }
}
