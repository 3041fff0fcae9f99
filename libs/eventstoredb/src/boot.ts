import { Backoff, type Clock, type Logger, type Random } from '#platform';
import {
  decodeRows,
  type RowPage,
  type NewEvent,
  newEvent,
  type Position,
  EventTooLarge,
  LogRefused,
  MAX_APPEND_BYTES,
  type AppendResult,
  StreamChain,
} from '#event-log';
import type { Appender } from './appender.js';
import { describe, isDenied } from './answers.js';
import type { Reader } from './reader.js';
import { wireDataOf, wireEventOf } from './wire-event.js';
import { RECONNECT_PAUSES } from './reconnect-pauses.js';

/** The first version whose answers were measured, and the first whose subscriptions were. */
const OLDEST = [23, 10] as const;
/** Long enough not to fill a log, short enough to be seen. */
const SAY_EVERY_MS = 10_000;
/** The stream, after the prefix, whose only event names the log for good. */
export const IDENTITY = 'log';
const ACTOR = { schemaVersion: 1, project: 'annals', actor: 'annals' };
/** A revision that no stream will have. */
const NEVER = 2 ** 52;

interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Boot {
  readonly appender: Appender;
  readonly reader: Reader;
  readonly server: string;
  readonly scrub: (text: string) => string;
  readonly signal: AbortSignal;
  readonly onWaiting: (detail: string) => void;
}

/**
 * Waits for the server, with a line now and then, and checks that this program can use it.
 * @returns the log's id, and the position of its last event: 0 where there is none
 * @throws LogRefused when it never will: too old, appends too small, user refused
 */
export async function boot(boot: Boot, ports: Ports): Promise<{ logId: string; head: Position }> {
  const version = await untilThere(boot, ports, () => boot.appender.open());
  refuseOld(version, boot.server);
  const logId = await untilThere(boot, ports, () => identify(boot, ports));
  await untilThere(boot, ports, () => checkLimit(boot.appender, ports));
  const head = await untilThere(boot, ports, () => boot.reader.last());
  ports.logger.info({ server: boot.server, version }, 'connected to EventStoreDB');
  return { logId, head };
}

/** Only what the network and a server that is starting say is waited out. */
async function untilThere<T>(
  { server, scrub, signal, onWaiting }: Boot,
  { clock, random, logger }: Ports,
  attempt: () => Promise<T>,
): Promise<T> {
  const backoff = new Backoff(clock, RECONNECT_PAUSES, random);
  let saidAt = -Infinity;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof LogRefused || error instanceof RangeError) throw error;
      if (isDenied(error)) throw new LogRefused(`EventStoreDB at ${server}: ${describe(error)}`);
      const now = clock.now();
      const detail = scrub(describe(error));
      onWaiting(`waiting for EventStoreDB at ${server}: ${detail}`);
      if (now - saidAt >= SAY_EVERY_MS) {
        saidAt = now;
        logger.warn({ server, detail }, 'waiting for EventStoreDB');
      }
    }
    await backoff.wait(signal);
    if (signal.aborted)
      throw new LogRefused(`EventStoreDB at ${server} was not there when the start was given up`);
  }
}

/** @throws LogRefused for a server older than what was measured */
export function refuseOld(version: string, server: string): void {
  const match = /^(\d+)\.(\d+)/.exec(version);
  // A build without a version number (a developer's) is let through: its answers are checked, too.
  if (match === null) return;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new LogRefused(
    `EventStoreDB at ${server} is version ${version}; it must be ${OLDEST.join('.')} or newer`,
  );
}

/** The log's id: drawn by the process that opens the log first. */
async function identify({ appender, reader }: Boot, { clock, random }: Ports): Promise<string> {
  const known = await reader.stream(IDENTITY, undefined, false, 1);
  if (known.page.rows.length > 0) return idIn(known.page);
  const logId = random.uuid();
  const event = newEvent(
    { id: random.uuid(), type: 'log_created', time: clock.now(), data: { logId } },
    ACTOR,
  );
  const result = await appender.append(IDENTITY, [firstOf(event)], 'no_stream');
  if (result.kind === 'appended') return logId;
  const other = await reader.stream(IDENTITY, undefined, false, 1);
  return idIn(other.page);
}

/** As the first of its stream. */
const firstOf = (event: NewEvent) =>
  wireEventOf(event, wireDataOf(null, IDENTITY, event), new StreamChain(IDENTITY).prev);

function idIn(page: RowPage): string {
  const data = decodeRows(page)[0]?.data;
  if (data !== undefined && 'logId' in data && typeof data.logId === 'string') return data.logId;
  throw new LogRefused(
    `the stream ${IDENTITY} (after the prefix) on the server is not what this program wrote`,
  );
}

/** An append of the largest size at a revision that cannot be: the server looks at its size first and stores nothing. */
async function checkLimit(appender: Appender, { clock, random }: Ports): Promise<void> {
  const text = 'x'.repeat(MAX_APPEND_BYTES);
  const event = newEvent({ id: random.uuid(), type: 'log_probed', time: clock.now(), data: { text } }, ACTOR);
  let result: AppendResult;
  try {
    result = await appender.append(IDENTITY, [firstOf(event)], NEVER);
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error;
    throw new LogRefused(
      `EventStoreDB takes too small appends: ${error.message}; set MaxAppendSize to 1048576 (its default) or more`,
    );
  }
  if (result.kind !== 'conflict')
    throw new LogRefused(
      'the server does not check expected revisions: it is not an EventStoreDB that can be used',
    );
}
