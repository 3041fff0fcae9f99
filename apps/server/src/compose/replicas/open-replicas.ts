import { hostname } from 'node:os';
import type { EventLog } from '#event-log';
import {
  type Background,
  type Clock,
  type Logger,
  type Random,
  type Settings,
  SettingsRefused,
} from '#platform';
import { Alone } from './alone.js';
import { hasEnded, ownIdentity, processWatch, SoleLease } from '#replicas';
import type { Replicas } from './replicas.js';
import { Shared } from './shared.js';

export interface ReplicasPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
}

type ReplicasSettings = Pick<Settings, 'eventstoreUrl' | 'databaseUrl' | 'takeoverMs' | 'roles'>;

/** What this process is on its log: replicas need both servers. @throws SettingsRefused, LogRefused */
export async function openReplicas(settings: ReplicasSettings, ports: ReplicasPorts): Promise<Replicas> {
  const { eventstoreUrl, databaseUrl, takeoverMs, roles } = settings;
  const isShared = eventstoreUrl !== null && databaseUrl !== null;
  if (!isShared && !roles.has('projector'))
    throw new SettingsRefused(
      'ROLES must name projector, unless EVENTSTORE_URL and DATABASE_URL are both set',
    );
  if (eventstoreUrl === null) return new Alone();
  const onLost = (): void => lose(ports.logger, isShared);
  const options = { isShared, patienceMs: takeoverMs, process: ownIdentity(), hasEnded, onLost };
  const lease = new SoleLease(ports, options);
  await lease.take();
  if (!isShared) return new Alone(() => lease.release());
  const watch = processWatch();
  return new Shared({ ...ports, databaseUrl, takeoverMs, host: hostname(), watch }, () => lease.release());
}

/** What it still does the log refuses; at its next start it is told why. */
function lose(logger: Logger, isShared: boolean): void {
  const now = isShared ? 'a process without DATABASE_URL' : 'another process';
  logger.error({}, `${now} has taken the log of EVENTSTORE_URL over; this one ends`);
  process.exit(1);
}
