import { join } from 'node:path';
import { EsdbEventLog, type EventLog, SqliteEventLog } from '#event-log';
import type { Clock, Logger, Random, Settings } from '#platform';

export interface LogPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

type LogSettings = Pick<Settings, 'dataDir' | 'eventstoreUrl' | 'eventstorePrefix'>;

/** The log that the settings name: EventStoreDB, or the embedded one. @throws LogRefused */
export function openLog(settings: LogSettings, ports: LogPorts): Promise<EventLog> {
  const { eventstoreUrl, eventstorePrefix, dataDir } = settings;
  if (eventstoreUrl === null) return SqliteEventLog.open({ folder: join(dataDir, 'log'), ...ports });
  return EsdbEventLog.open({ connectionString: eventstoreUrl, prefix: eventstorePrefix, ...ports });
}
