import type { EventLog } from '#event-log';
import type { Settings } from '#platform';
import { LogKeys, type LogKeysPorts, Receipts } from '#sealer';

/** What signs how runs ended. @throws LogUnavailable */
export async function openReceipts(
  ports: LogKeysPorts & { readonly log: EventLog },
  settings: Pick<Settings, 'annalsOrigin'>,
  signal: AbortSignal,
): Promise<Receipts> {
  const logKeys = new LogKeys(originOf(ports.log, settings), ports);
  await logKeys.start(signal);
  return new Receipts(ports.log, logKeys);
}

/** The name of all that is signed of a log. */
export const originOf = (
  { logId }: Pick<EventLog, 'logId'>,
  { annalsOrigin }: Pick<Settings, 'annalsOrigin'>,
): string => annalsOrigin ?? `annals.local/${logId}`;
