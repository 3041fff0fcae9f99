import { randomUUID } from 'node:crypto';
import { EsdbEventLog } from '#eventstoredb';
import { MemoryContentKeys } from '#event-log';
import { SilentLogger } from '#platform';

/** The service waits for its server for ever; whoever runs tests wants to know that there is none. */
const PATIENCE_MS = 10_000;

/**
 * Resolves when a log can be opened on the server.
 * @throws Error with one line that says what was there instead, within `patienceMs`
 */
export async function requireServer(url: string, patienceMs = PATIENCE_MS): Promise<void> {
  let found = 'it does not answer';
  const giveUp = new AbortController();
  const opened = EsdbEventLog.open({
    connectionString: url,
    prefix: `contract-${randomUUID()}.`,
    keys: new MemoryContentKeys(),
    logger: new SilentLogger(),
    signal: giveUp.signal,
    onWaiting: (detail) => (found = detail),
  });
  // One that comes too late is closed all the same.
  const closed = opened.then((log) => log.close());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`EVENTSTORE_URL: no server after ${patienceMs / 1000} s: ${found}`));
      giveUp.abort();
    }, patienceMs);
  });
  await Promise.race([closed, late]).finally(() => clearTimeout(timer));
}
