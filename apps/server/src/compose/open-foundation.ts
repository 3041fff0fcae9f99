import { join } from 'node:path';
import { ProcessSchemas } from '#json-schema';
import { type ContentKeys, type EventLog, RunningFollowers } from '#event-log';
import { DiskFileStore, type FileStore, SealedFileStore } from '#vault';
import {
  CountedWork,
  DiskAttempts,
  type Logger,
  ProcessBackground,
  type SecretBox,
  type Settings,
  SystemClock,
  SystemRandom,
} from '#platform';
import type { Observability } from '../observability/observability.js';
import { type SealedParts, openSealed } from './open-keys.js';
import { whileWaiting } from './open-log.js';
import { type ReplicasPorts, openReplicas } from './replicas/open-replicas.js';
import type { Replicas } from './replicas/replicas.js';

/** What all other parts need: the log with its keys, the files, and this process among the others. */
export interface Foundation {
  readonly replicas: Replicas;
  readonly log: EventLog;
  readonly keys: ContentKeys;
  readonly sealed: SealedParts;
  /** Content too large for an event. */
  readonly files: FileStore;
  /** Documents. */
  readonly uploads: DiskFileStore;
  readonly schemas: ProcessSchemas;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  readonly background: ProcessBackground;
  readonly logger: Logger;
  readonly box: SecretBox;
  readonly observability: Observability;
  readonly watch: Observability['runs'];
  readonly followers: RunningFollowers;
  readonly attempts: DiskAttempts;
  /** Work on what others sent, in which an earlier process may have ended. */
  readonly counted: CountedWork;
}

export async function openFoundation(
  settings: Settings,
  logger: Logger,
  observability: Observability,
  onWaiting: (detail: string) => void,
): Promise<Foundation> {
  const clock = new SystemClock();
  const random = new SystemRandom();
  const background = new ProcessBackground(logger);
  const ports = { clock, random, logger };
  const { sealed, replicas } = await openServedLog(
    settings,
    { ...ports, background, onWaiting },
    observability,
  );
  const { log, vault: keys, streams, box } = sealed;
  const uploads = await DiskFileStore.open(join(settings.dataDir, 'files'), box.derive('annals/files/v1'), {
    isAlone: log.exclusive,
  });
  keys.onUnreadable(observability.unreadable.event);
  const files = observability.unreadable.ofFiles(new SealedFileStore(uploads, streams));
  const { runs: watch } = observability;
  const followers = new RunningFollowers();
  const attempts = await DiskAttempts.open(join(settings.dataDir, 'attempts'), clock.now(), logger);
  const counted = new CountedWork(attempts);
  const more = { background, observability, watch, followers, schemas: new ProcessSchemas(clock) };
  return { log, keys, sealed, replicas, files, uploads, box, attempts, counted, ...ports, ...more };
}

/** The log and its keys, and what this process is on it, while the port says what is waited for. */
async function openServedLog(
  settings: Settings,
  ports: Omit<ReplicasPorts, 'log'> & { readonly onWaiting: (detail: string) => void },
  observability: Observability,
): Promise<{ readonly sealed: SealedParts; readonly replicas: Replicas }> {
  let replicas: Replicas | null = null;
  const observed = (log: EventLog): EventLog => observability.ofLog(log);
  const admit = async (log: EventLog) => {
    const admitted = (replicas = await openReplicas(settings, { ...ports, log }));
    return () => admitted.end(0);
  };
  const sealed = await whileWaiting(settings, ports, (onWaiting) =>
    openSealed(settings, { ...ports, onWaiting }, { observed, admit }),
  );
  if (replicas === null) throw new Error('nobody was asked whether this process may work on the log');
  return { sealed, replicas };
}
