import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ContentKeys, type EventLog, SqliteEventLog } from '#event-log';
import { EsdbEventLog } from '#eventstoredb';
import { type Clock, type Logger, type Random, type Settings, SettingsRefused } from '#platform';
import { WaitingRoom } from '../edge/probes/waiting-room.js';

export interface LogPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Told why the log cannot be opened yet, each time that it is tried in vain. */
  readonly onWaiting?: (detail: string) => void;
}

type LogSettings = Pick<Settings, 'dataDir' | 'eventstoreUrl' | 'eventstorePrefix'>;

const logFolder = (dataDir: string): string => join(dataDir, 'log');

export const hasEmbeddedLog = (dataDir: string): boolean => existsSync(join(logFolder(dataDir), 'log.db'));

/** For what works on a log that is there: an empty one would look as if nothing were wrong. @throws SettingsRefused */
export function requireLog({ eventstoreUrl, dataDir }: LogSettings): void {
  if (eventstoreUrl === null && !hasEmbeddedLog(dataDir))
    throw new SettingsRefused('DATA_DIR must be the folder of a log: there is none in it');
}

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

/** What the service opens while its port says what is waited for. */
export async function whileWaiting<T>(
  settings: Pick<Settings, 'host' | 'port'>,
  { random, logger, onWaiting }: Pick<LogPorts, 'random' | 'logger' | 'onWaiting'>,
  open: (onWaiting: (detail: string) => void) => Promise<T>,
): Promise<T> {
  const room = new WaitingRoom(settings, random, logger);
  try {
    return await open((detail) => {
      room.say(detail);
      onWaiting?.(detail);
    });
  } finally {
    await room.close();
  }
}
