import { afterEach } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  AppendOutcomeUnknown,
  type AppendResult,
  collect,
  type EventLog,
  type Expected,
  LogUnavailable,
  type NewEvent,
} from '#event-log';
import { type EsdbEventLogOptions, EsdbEventLog } from '#eventstoredb';
import { Logger } from '#platform';
import { EsdbServer, type EsdbServerOptions } from '../support/esdb-server/esdb-server.js';
import { eventsOf, freshStream, idsOf } from './event-log/harness.js';

/** For the tests of silence: short, but not so short that a busy machine is taken for a silent server. */
export const IMPATIENT = { appendTimeoutMs: 500 };
/** For the others: no test waits for it. */
const PATIENT = { appendTimeoutMs: 10_000, readTimeoutMs: 10_000 };

/** Keeps every line. */
export class RememberingLogger extends Logger {
  readonly lines: string[] = [];
  override debug(fields: object, message: string): void {
    this.lines.push(`${message} ${JSON.stringify(fields)}`);
  }
  override info(fields: object, message: string): void {
    this.debug(fields, message);
  }
  override warn(fields: object, message: string): void {
    this.debug(fields, message);
  }
  override error(fields: object, message: string): void {
    this.debug(fields, message);
  }
}

const opened: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

/** Is closed after the test. */
export const closing = (close: () => Promise<void> | void): void => void opened.push({ close });

export async function startServer(options: EsdbServerOptions = {}): Promise<EsdbServer> {
  const server = await EsdbServer.start(options);
  closing(() => server.stop());
  return server;
}

export async function openLog(
  server: { readonly url: string },
  options: Partial<EsdbEventLogOptions> = {},
): Promise<EsdbEventLog> {
  const log = await EsdbEventLog.open({
    connectionString: server.url,
    logger: new RememberingLogger(),
    ...PATIENT,
    ...options,
  });
  closing(() => log.close());
  return log;
}

export async function setUp(
  options: EsdbServerOptions = {},
  log: Partial<EsdbEventLogOptions> = {},
): Promise<{ server: EsdbServer; log: EsdbEventLog }> {
  const server = await startServer(options);
  return { server, log: await openLog(server, log) };
}

/** As the journal of a run does: the identical batch, until it is known what became of it. */
export async function insist(
  log: EventLog,
  stream: string,
  events: readonly NewEvent[],
  expected: Expected,
): Promise<AppendResult> {
  for (;;)
    try {
      return await log.append(stream, events, { expected });
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown || error instanceof LogUnavailable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

export const idsIn = async (log: EventLog, stream: string): Promise<string[]> =>
  idsOf(await collect(log.readStream(stream)));

/** A stream with `count` events. */
export async function streamOf(log: EventLog, count: number): Promise<{ stream: string; ids: string[] }> {
  const stream = freshStream();
  const events = eventsOf(count);
  await log.append(stream, events, { expected: 'no_stream' });
  return { stream, ids: idsOf(events) };
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await holds());) {
    if (Date.now() > end) throw new Error(`not within 20 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Events of other users of the server. */
export function storeForeign(server: EsdbServer, count: number): void {
  const bytes = new TextEncoder().encode('{}');
  const proposals = Array.from({ length: count }, () => ({
    id: randomUUID(),
    type: 'foreign',
    contentType: 'application/json',
    data: bytes,
    metadata: bytes,
  }));
  server.store.append(`foreign-${randomUUID()}`, 'any', proposals);
}
