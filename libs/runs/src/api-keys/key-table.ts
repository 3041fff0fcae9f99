import { hash } from 'node:crypto';
import type { ApiKeyEvent, Scope } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { Principal } from './principal.js';

/** An issued key as it is kept: never the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly project: string;
  /** Sealed with the master key. */
  readonly webhookSecret: string;
  /** ms since 1970 */
  readonly createdAt: number;
}

/** Of a key with 256 random bits, or one that the operator chose, this tells nothing. */
export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/**
 * The keys that are valid now. Owns them in memory.
 * 1. A revoked id never comes back: the feed may tell of its issue after this process has revoked it.
 * 2. Applying an event again changes nothing.
 */
export class KeyTable {
  private readonly byId = new Map<string, KeyRecord>();
  private readonly principals = new Map<string, Principal>();
  private readonly revoked = new Set<string>();

  constructor(private readonly rootId: string) {}

  /** Looks a key up by its hash, so that the time of a comparison tells nothing of a key. */
  find(presented: string): Principal | null {
    return this.principals.get(hashKey(presented)) ?? null;
  }

  get(id: string): KeyRecord | null {
    return this.byId.get(id) ?? null;
  }

  all(): IterableIterator<KeyRecord> {
    return this.byId.values();
  }

  add(record: KeyRecord): void {
    if (this.revoked.has(record.id) || this.byId.has(record.id)) return;
    this.byId.set(record.id, record);
    this.principals.set(record.hash, {
      keyId: record.id,
      project: record.project,
      scopes: new Set(record.scopes),
      isRoot: record.id === this.rootId,
    });
  }

  remove(id: string): void {
    this.revoked.add(id);
    const record = this.byId.get(id);
    if (record === undefined) return;
    this.byId.delete(id);
    this.principals.delete(record.hash);
  }

  /** An event of an `apikey-` stream; unknown types are skipped. */
  apply(recorded: RecordedEvent): void {
    const event = { type: recorded.type, data: recorded.data } as ApiKeyEvent;
    if (event.type === 'api_key_revoked') this.remove(event.data.id);
    if (event.type === 'api_key_issued') this.add(recordOf(event.data, recorded));
  }
}

function recordOf(
  { id, name, hash, scopes, webhook_secret }: Extract<ApiKeyEvent, { type: 'api_key_issued' }>['data'],
  { meta, time }: Pick<RecordedEvent, 'meta' | 'time'>,
): KeyRecord {
  return { id, name, hash, scopes, project: meta.project, webhookSecret: webhook_secret, createdAt: time };
}
