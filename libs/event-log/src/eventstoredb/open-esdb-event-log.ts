import type { EsdbEventLog, EsdbEventLogOptions } from './esdb-event-log.js';

/** The log on an EventStoreDB. Its client is loaded here and nowhere else. @throws LogRefused */
export async function openEsdbEventLog(options: EsdbEventLogOptions): Promise<EsdbEventLog> {
  const { EsdbEventLog } = await import('./esdb-event-log.js');
  return EsdbEventLog.open(options);
}
