import { join } from 'node:path';
import {
  ContentKey,
  type EventLog,
  type KeyStore,
  KeyVault,
  PostgresKeyStore,
  SealedEventLog,
  SqliteKeyStore,
  StreamKeys,
  keysMade,
} from '#event-log';
import { SecretBox, type Settings, openMasterKey } from '#platform';
import { type LogPorts, hasEmbeddedLog, openLog } from './open-log.js';

type KeySettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'masterKey' | 'eventstoreUrl' | 'eventstorePrefix'
>;

/** The log with the keys of its content. */
export interface SealedParts {
  readonly log: EventLog;
  readonly store: KeyStore;
  readonly vault: KeyVault;
  readonly streams: StreamKeys;
  /** What the whole installation seals and derives with. */
  readonly box: SecretBox;
  readonly close: () => Promise<void>;
}

const keyFolder = (dataDir: string): string => join(dataDir, 'keys');

/**
 * Where replicas share a log they share a key store, in their database; a process that is alone keeps it in DATA_DIR, so that
 * it goes on while a database of lists is away. @throws LogRefused
 */
export async function openKeyStore(settings: KeySettings, ports: LogPorts): Promise<KeyStore> {
  const { eventstoreUrl, databaseUrl, dataDir } = settings;
  if (eventstoreUrl !== null && databaseUrl !== null) return PostgresKeyStore.open(databaseUrl, ports);
  return SqliteKeyStore.open(keyFolder(dataDir));
}

/** Whether something in the folder was wrapped with a master key. */
export const isBegun = ({ dataDir }: KeySettings): boolean =>
  SqliteKeyStore.isIn(keyFolder(dataDir)) || hasEmbeddedLog(dataDir);

/** What a master key wraps with, under a name that tells nothing of it. */
export function wrappingKey(masterKey: Buffer): ContentKey {
  const box = new SecretBox(masterKey);
  return new ContentKey(box.keyId, box.derive('annals/wrap/v1'));
}

/**
 * Opens the log that the settings name, and its keys.
 * @param observed the log as it is watched
 * @throws SettingsRefused, LogRefused: nothing is changed then
 */
export async function openSealed(
  settings: KeySettings,
  ports: LogPorts,
  observed: (log: EventLog) => EventLog = (log) => log,
): Promise<SealedParts> {
  const master = wrappingKey(openMasterKey(settings.dataDir, settings.masterKey, isBegun(settings)));
  const store = await openKeyStore(settings, ports);
  const vault = new KeyVault(store, master, ports);
  let log: EventLog | null = null;
  try {
    const opened = (log = observed(await openLog(settings, { ...ports, keys: vault })));
    await vault.open(() => keysMade(opened));
    vault.attach(opened);
    const streams = new StreamKeys(opened, vault);
    const close = async (): Promise<void> => {
      await opened.close();
      await vault.close();
    };
    const box = new SecretBox(vault.root);
    return { log: new SealedEventLog(opened, streams), store, vault, streams, box, close };
  } catch (error) {
    await log?.close();
    await store.close();
    throw error;
  }
}
