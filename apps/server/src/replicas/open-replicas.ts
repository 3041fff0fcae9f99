import { hostname } from 'node:os';
import type { EventLog } from '#event-log';
import type { Background, Clock, Logger, Random, Settings } from '#platform';
import { Alone } from './alone.js';
import type { Replicas } from './replicas.js';
import { Shared } from './shared.js';

export interface ReplicasPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

/** What this process is on its log: replicas need both servers. */
export async function openReplicas(
  settings: Pick<Settings, 'eventstoreUrl' | 'databaseUrl' | 'takeoverMs'>,
  ports: ReplicasPorts,
): Promise<Replicas> {
  const { eventstoreUrl, databaseUrl, takeoverMs } = settings;
  if (eventstoreUrl === null || databaseUrl === null) return new Alone();
  return new Shared({ ...ports, databaseUrl, takeoverMs, host: hostname() });
}
