import type { EventLog } from '#event-log';
import type { Settings } from '#platform';
import { LogKeys, type LogKeysPorts, Receipts } from '#sealer';

/** What signs how runs ended. @throws LogUnavailable */
export async function openReceipts(
  ports: LogKeysPorts & { readonly log: EventLog },
  { annalsOrigin }: Pick<Settings, 'annalsOrigin'>,
  signal: AbortSignal,
): Promise<Receipts> {
  const logKeys = new LogKeys(annalsOrigin ?? `annals.local/${ports.log.logId}`, ports);
  await logKeys.start(signal);
  return new Receipts(ports.log, logKeys);
}
