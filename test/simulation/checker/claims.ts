import { isEndType } from '#domain';
import { type SessionLog, type SessionRecord, at, require } from './evidence.js';

interface Claim {
  readonly run: string;
  readonly epoch: number;
  /** What the ids of its writer begin with: a claim and all that is written under it come from one journal. */
  readonly writer: string;
  ordinal: number;
  /** Nobody drives the run: it waits for somebody. */
  isParked?: true;
}

interface Waiting {
  readonly run: string;
  readonly interrupts: boolean;
  readonly requested: number;
}

/** Written of a run that nobody drives by whoever cancels it, or hears that its server has news. */
const WHILE_PARKED: ReadonlySet<string> = new Set([
  'agent_steered',
  'agent_cost',
  'agent_cancelled',
  'run_woken',
]);

const BY_COMMANDS: ReadonlySet<string> = new Set([
  'session_opened',
  'run_requested',
  'run_claimed',
  'run_refused',
  'run_cancel_requested',
  'messages_cleared',
  'agent_action_resolved',
  'session_erased',
]);

/**
 * I3 and I4: one run at a time, runs start in the order in which they were accepted, epochs rise, what a run says is
 * written under the claim before it, in the order in which it was said, and nothing after its end.
 */
export function checkClaims({ events }: SessionLog): void {
  const epochs = new Map<string, number>();
  const known = new Set<string>();
  let waiting: Waiting[] = [];
  let claim: Claim | null = null;
  for (const event of events) {
    const run = event.meta.run ?? '';
    if (event.type === 'run_requested') {
      require(!known.has(run), 'I3 a run is requested once', () => at(event));
      known.add(run);
      waiting = queued(waiting, event);
    } else if (event.type === 'run_claimed') {
      if (claim?.run !== run) waiting = firstStarts(event, claim, waiting);
      claim = nextClaim(event, epochs);
      checkNamedWaiting(event, waiting);
    } else if (!BY_COMMANDS.has(event.type)) {
      if (event.type === 'run_parked' && claim !== null) claim.isParked = true;
      checkWriter(event, claim);
      if (isEndType(event.type)) claim = null;
    }
  }
}

function queued(waiting: readonly Waiting[], event: SessionRecord): Waiting[] {
  const interrupts = event.type === 'run_requested' && event.data.interrupts === true;
  const entry = { run: event.meta.run ?? '', interrupts, requested: event.revision };
  const place = interrupts ? waiting.findIndex((other) => !other.interrupts) : -1;
  return place < 0 ? [...waiting, entry] : waiting.toSpliced(place, 0, entry);
}

function firstStarts(event: SessionRecord, claim: Claim | null, waiting: readonly Waiting[]): Waiting[] {
  require(claim === null, 'I4 one run at a time', () => `${at(event)} while ${claim?.run} is under way`);
  const [first, ...rest] = waiting;
  require(first?.run === event.meta.run, 'I3 queued runs start in order', () =>
    `${at(event)} of ${event.meta.run}, but ${first?.run} is first`);
  return rest;
}

function nextClaim(event: SessionRecord, epochs: Map<string, number>): Claim {
  const run = event.meta.run ?? '';
  const epoch = event.type === 'run_claimed' ? event.data.epoch : 0;
  const before = epochs.get(run) ?? 0;
  require(epoch === before + 1, 'I3 epochs rise', () => `${at(event)} has epoch ${epoch} after ${before}`);
  epochs.set(run, epoch);
  return { run, epoch, writer: writerOf(event), ordinal: ordinalOf(event) };
}

function checkNamedWaiting(event: SessionRecord, waiting: readonly Waiting[]): void {
  if (event.type !== 'run_claimed') return;
  const named = (event.data.waiting ?? []).map(({ run, requested }) => `${run}@${requested}`).join();
  const expected = waiting.map(({ run, requested }) => `${run}@${requested}`).join();
  require(named === expected, 'I3 a claim names the waiting', () =>
    `${at(event)}: ${named}, not ${expected}`);
}

function checkWriter(event: SessionRecord, claim: Claim | null): void {
  if (event.type === 'tool_call_completed' && event.data.action !== undefined) return;
  require(claim !== null, 'I4 nothing after the end', () =>
    `${at(event)} of ${event.meta.run}, no run is under way`);
  require(claim.run === event.meta.run, 'I4 one run at a time', () =>
    `${at(event)} of ${event.meta.run} while ${claim.run} is under way`);
  if (claim.isParked && WHILE_PARKED.has(event.type)) return;
  require(claim.writer === writerOf(event), "I3 an event's epoch is the claim before it", () =>
    `${at(event)} was written by ${writerOf(event)}, the claim by ${claim.writer}`);
  const ordinal = ordinalOf(event);
  require(ordinal > claim.ordinal, 'I3 nothing is reordered', () =>
    `${at(event)} has ordinal ${ordinal} after ${claim.ordinal}`);
  claim.ordinal = ordinal;
}

const writerOf = (event: SessionRecord): string => event.id.slice(0, 24);
const ordinalOf = (event: SessionRecord): number => Number.parseInt(event.id.slice(24), 16);
