import type { EventLog } from '#event-log';
import type { Settings } from '#platform';
import type { Part } from '#replicas';
import {
  LogKeys,
  type LogKeysPorts,
  PostgresProofStore,
  type ProofDatabase,
  ProofReader,
  ProofStatus,
  type ProofStore,
  Receipts,
  Sealer,
  policyText,
} from '#sealer';
import { followLogKeyRequests } from './log-key-requests.js';
import { openWitnesses } from './open-witnesses.js';

/** What signs the log and how runs ended, and what is told of it. */
export interface Proof {
  readonly keys: LogKeys;
  readonly receipts: Receipts;
  readonly reader: ProofReader;
  readonly status: ProofStatus;
  readonly store: ProofStore;
  /** Whether whoever checks the log needs no key. */
  readonly isPublic: boolean;
  /** Makes what seals, which is to be started. */
  openSealer(): Part;
  /** What the world is to believe, as a policy file. */
  readonly policy: () => string;
}

export interface ProofPorts extends LogKeysPorts {
  readonly log: EventLog;
  readonly database: ProofDatabase;
  /** Whether other replicas may be the one that seals. */
  readonly isShared: boolean;
}

type ProofSettings = Pick<Settings, 'annalsOrigin' | 'dataDir' | 'witnesses' | 'isProofPublic'>;

/** @throws LogUnavailable, SettingsRefused */
export async function openProof(
  ports: ProofPorts,
  settings: ProofSettings,
  signal: AbortSignal,
): Promise<Proof> {
  const { log, clock, background, isShared } = ports;
  const origin = originOf(log, settings);
  const { witnesses, policy, text } = await openWitnesses(settings.witnesses, origin, clock);
  signal.addEventListener('abort', () => background.start('leave the witnesses', () => witnesses.close()), {
    once: true,
  });
  const keys = new LogKeys(origin, ports);
  await keys.start(signal);
  const store = new PostgresProofStore(ports.database);
  const status = new ProofStatus({ origin, store, clock, policy });
  background.start('watch the seals', () => status.follow(signal));
  if (log.exclusive)
    background.start('take requests for keys', () => followLogKeyRequests(settings.dataDir, keys, signal));
  let sealer: Sealer | null = null;
  const demand = async (): Promise<void> => {
    if (isShared) await store.demand();
    sealer?.demand();
  };
  const receipts = new Receipts(log, keys, () => status.stopped);
  const reader = new ProofReader({ origin, store, clock, witnesses, demand });
  const openSealer = (): Part => (sealer = new Sealer({ ...ports, keys, store, witnesses }, { isShared }));
  const policyFile = (): string => policyText(keys, text);
  const { isProofPublic: isPublic } = settings;
  return { keys, receipts, reader, status, store, isPublic, openSealer, policy: policyFile };
}

/** The name of all that is signed of a log. */
export const originOf = (
  { logId }: Pick<EventLog, 'logId'>,
  { annalsOrigin }: Pick<Settings, 'annalsOrigin'>,
): string => annalsOrigin ?? `annals.local/${logId}`;
