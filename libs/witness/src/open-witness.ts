import type { PlainConnections } from '#http';
import { type Clock, type Logger } from '#platform';
import { type NoteKey, type Policy, WITNESS_KEY, formatKey, noteKey, signingKey } from '#proof';
import { EntryTiles } from './http/entry-tiles.js';
import { LogFollower } from './monitor/log-follower.js';
import { SqliteWitnessStore } from './sqlite/sqlite-witness-store.js';
import { type WatchedLog, Witness } from './witness.js';

export interface OpenWitnessOptions {
  /** Whose `log` lines are served. */
  readonly policy: Policy;
  /** Of the witness's key; one that ends in `/monitor` is a promise to read every leaf. */
  readonly name: string;
  readonly folder: string;
  /** For the tiles of logs; null: they are open. */
  readonly apiKey: string | null;
  readonly connections: PlainConnections;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenedWitness {
  readonly witness: Witness;
  /** Of a policy, but for its URL. */
  readonly line: string;
  /** Once nobody asks it any more. */
  close(): Promise<void>;
}

const MONITOR = '/monitor';

/** @throws SettingsRefused of the folder, WitnessRefused */
export function openWitness(options: OpenWitnessOptions): OpenedWitness {
  const { name, folder, clock, logger } = options;
  const logs = logsOf(options);
  const store = SqliteWitnessStore.open(folder, name);
  const key = signingKey(store.seed);
  const watched = new Map<string, WatchedLog>();
  for (const [origin, { keys, url }] of logs) {
    const follower =
      url === null ? null : new LogFollower(new EntryTiles({ ...options, url }), store.heads(origin), clock);
    watched.set(origin, { keys, follower });
  }
  const line = `witness ${name} ${formatKey(noteKey(name, WITNESS_KEY, key.publicKey))}`;
  const witness = new Witness({ name, key, logs: watched, store, clock, logger });
  const close = async (): Promise<void> => {
    await witness.settled();
    store.close();
  };
  return { witness, line, close };
}

/** A policy or name that no witness can be made of: one line. */
export class WitnessRefused extends Error {
  override readonly name = 'WitnessRefused';
}

interface NamedLog {
  readonly keys: readonly NoteKey[];
  /** Where its leaves are read; null: they are not. */
  readonly url: string | null;
}

/** By origin. @throws WitnessRefused */
function logsOf({ policy, name }: OpenWitnessOptions): ReadonlyMap<string, NamedLog> {
  if (!/^[A-Za-z0-9._\-/]{1,200}$/.test(name))
    throw new WitnessRefused('the name must be 1 to 200 of A-Z a-z 0-9 . _ - /');
  if (policy.logs.length === 0) throw new WitnessRefused('the policy must have a log line');
  const isMonitor = name.endsWith(MONITOR);
  const logs = new Map<string, NamedLog>();
  for (const { key, url } of policy.logs) {
    const known = logs.get(key.name);
    const read = known?.url ?? (isMonitor ? url : null);
    logs.set(key.name, { keys: [...(known?.keys ?? []), key], url: read?.replace(/\/$/, '') ?? null });
  }
  if (!isMonitor) return logs;
  for (const [origin, { url }] of logs)
    if (url === null || !/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new WitnessRefused(`a monitor must have a URL in the policy where it reads ${origin}`);
  return logs;
}
