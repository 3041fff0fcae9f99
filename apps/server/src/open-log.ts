import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ContentKeys, EsdbEventLog, type EventLog, SqliteEventLog } from '#event-log';
import type { Clock, Logger, Random, Settings } from '#platform';

export interface LogPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

type LogSettings = Pick<Settings, 'dataDir' | 'eventstoreUrl' | 'eventstorePrefix'>;

const logFolder = (dataDir: string): string => join(dataDir, 'log');

export const hasEmbeddedLog = (dataDir: string): boolean => existsSync(join(logFolder(dataDir), 'log.db'));

/**
 * The log that the settings name: EventStoreDB, or the embedded one. Without keys what is sealed is only copied.
 * @throws LogRefused
 */
export function openLog(
  settings: LogSettings,
  ports: LogPorts & { readonly keys?: ContentKeys },
): Promise<EventLog> {
  const { eventstoreUrl, eventstorePrefix, dataDir } = settings;
  if (eventstoreUrl === null) return SqliteEventLog.open({ folder: logFolder(dataDir), ...ports });
  return EsdbEventLog.open({ connectionString: eventstoreUrl, prefix: eventstorePrefix, ...ports });
}
