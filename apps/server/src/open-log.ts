import { join } from 'node:path';
import { EsdbEventLog, type EventLog, SqliteEventLog } from '#event-log';
import type { Clock, Logger, Random, Settings } from '#platform';
import { WaitingRoom } from './http/waiting-room.js';

export interface LogPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Told why the log cannot be opened yet, each time that it is tried in vain. */
  readonly onWaiting?: (detail: string) => void;
}

type LogSettings = Pick<Settings, 'dataDir' | 'eventstoreUrl' | 'eventstorePrefix'>;

/** The log that the settings name: EventStoreDB, or the embedded one. @throws LogRefused */
export function openLog(settings: LogSettings, ports: LogPorts): Promise<EventLog> {
  const { eventstoreUrl, eventstorePrefix, dataDir } = settings;
  if (eventstoreUrl === null) return SqliteEventLog.open({ folder: join(dataDir, 'log'), ...ports });
  return EsdbEventLog.open({ connectionString: eventstoreUrl, prefix: eventstorePrefix, ...ports });
}

/** The same for the service, whose port says in the meantime what is waited for. @throws LogRefused */
export async function openServedLog(
  settings: LogSettings & Pick<Settings, 'host' | 'port'>,
  ports: Omit<LogPorts, 'onWaiting'>,
): Promise<EventLog> {
  const room = new WaitingRoom(settings, ports.random, ports.logger);
  try {
    return await openLog(settings, { ...ports, onWaiting: (detail) => room.say(detail) });
  } finally {
    await room.close();
  }
}
