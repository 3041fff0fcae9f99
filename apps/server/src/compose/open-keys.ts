import { join } from 'node:path';
import { ContentKey, type EventLog, LogRefused } from '#event-log';
import {
  type KeyStore,
  KeyVault,
  PostgresKeyRows,
  PostgresKeyStore,
  SealedEventLog,
  SqliteKeyRows,
  SqliteKeyStore,
  StreamKeys,
  WRONG_MASTER,
  copyKeys,
  keysMade,
  refuseStore,
} from '#vault';
import { SecretBox, type Settings, closeInOrder, openMasterKey } from '#platform';
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
 * it goes on while a database of lists is away. Prepare it before it is asked. @throws LogRefused
 */
export function openKeyStore(settings: KeySettings, ports: LogPorts): KeyStore {
  const { eventstoreUrl, databaseUrl, dataDir } = settings;
  if (eventstoreUrl !== null && databaseUrl !== null) return new PostgresKeyStore(databaseUrl, ports);
  return SqliteKeyStore.open(keyFolder(dataDir));
}

/**
 * Looks whether the keys of an embedded log would be opened, and changes nothing.
 * @throws SettingsRefused, LogRefused as a start would
 */
export async function tryKeys(settings: KeySettings, log: EventLog): Promise<void> {
  const { dataDir, masterKey } = settings;
  const { id } = wrappingKey(openMasterKey(dataDir, masterKey, true));
  const made = await keysMade(log);
  if (!SqliteKeyStore.isIn(keyFolder(dataDir))) return refuseStore(null, made);
  const store = SqliteKeyStore.open(keyFolder(dataDir));
  try {
    const state = await store.state();
    refuseStore(state, made);
    if (state !== null && ![state.master, state.successor?.of].includes(id))
      throw new LogRefused(WRONG_MASTER);
  } finally {
    await store.close();
  }
}

/**
 * Copies the keys, where the embedded log and that of EVENTSTORE_URL have them in different places. Returns how many.
 * @throws LogRefused where the target is not empty
 */
export async function copyKeysOf(
  { databaseUrl, dataDir }: KeySettings,
  to: 'to-eventstoredb' | 'to-embedded',
  ports: LogPorts,
): Promise<number> {
  if (databaseUrl === null) return 0;
  const embedded = await SqliteKeyRows.open(keyFolder(dataDir));
  try {
    const shared = await PostgresKeyRows.open(databaseUrl, ports);
    try {
      return await (to === 'to-embedded' ? copyKeys(shared, embedded) : copyKeys(embedded, shared));
    } finally {
      await shared.close();
    }
  } finally {
    await embedded.close();
  }
}

/** Whether something in the folder was wrapped with a master key. */
export const isBegun = ({ dataDir }: KeySettings): boolean =>
  SqliteKeyStore.isIn(keyFolder(dataDir)) || hasEmbeddedLog(dataDir);

/** What a master key wraps with, under a name that tells nothing of it. */
export function wrappingKey(masterKey: Buffer): ContentKey {
  const box = new SecretBox(masterKey);
  return new ContentKey(box.keyId, box.derive('annals/wrap/v1'));
}

export interface SealedOptions {
  /** The log as it is watched. */
  readonly observed?: (log: EventLog) => EventLog;
  /** Asked when the log can be read, before its keys are: whether this process may work on it. Gives what takes that back. */
  readonly admit?: (log: EventLog) => Promise<() => Promise<void>>;
}

/**
 * Opens the log that the settings name, and its keys.
 * @throws SettingsRefused, LogRefused: nothing is changed then; what `admit` throws
 */
export async function openSealed(
  settings: KeySettings,
  ports: LogPorts,
  { observed = (log) => log, admit }: SealedOptions = {},
): Promise<SealedParts> {
  const master = wrappingKey(openMasterKey(settings.dataDir, settings.masterKey, isBegun(settings)));
  const store = openKeyStore(settings, ports);
  const vault = new KeyVault(store, master, ports);
  let log: EventLog | null = null;
  let giveUp: (() => Promise<void>) | undefined;
  try {
    const opened = (log = observed(await openLog(settings, { ...ports, keys: vault })));
    giveUp = await admit?.(opened);
    await store.prepare(ports.onWaiting);
    await vault.open(() => keysMade(opened));
    vault.attach(opened);
    const streams = new StreamKeys(opened, vault);
    const close = (): Promise<void> =>
      closeInOrder(
        () => opened.close(),
        () => vault.close(),
      );
    const box = new SecretBox(vault.root);
    return { log: new SealedEventLog(opened, streams), store, vault, streams, box, close };
  } catch (error) {
    // What could not be opened is the reason that counts.
    await closeInOrder(
      () => giveUp?.(),
      () => log?.close(),
      () => store.close(),
    ).catch((failed: unknown) => ports.logger.warn({ err: failed }, 'what was opened could not be closed'));
    throw error;
  }
}

/** Under which tokens stand for what callers say of their runs. */
export const metadataSecretOf = (box: SecretBox): Uint8Array => box.derive('annals/metadata/v1');
