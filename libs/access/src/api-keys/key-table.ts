import { hash } from 'node:crypto';
import { type ApiKeyEvent, type Scope, apiKeyEvent, apiKeyStream, type ProjectId } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { Principal } from './principal.js';

/** An issued key as it is kept: never the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly project: ProjectId;
  /** Sealed with the master key. */
  readonly webhookSecret: string;
  /** ms since 1970 */
  readonly createdAt: number;
  /** ms since 1970; null: never. */
  readonly expiresAt: number | null;
}

/** Shows what no project owns, so only the first admin key gives it out; nobody else's giving counts. */
export const OPERATORS_SCOPE: Scope = 'metrics';

/** How a key was revoked. */
export interface Revocation {
  /** What it has scheduled goes on firing. */
  readonly keepsTasks: boolean;
}

/** Of a key with 256 random bits, or one that the operator chose, this tells nothing. */
export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/**
 * In-memory projection of API keys.
 * 1. A revoked id never comes back: its issue may arrive after this process has revoked it.
 * 2. Applying an event is idempotent, and a revocation is notified once.
 * 3. Only a key's own stream counts: an event that names another key is ignored.
 * 4. A key has no scope that its issuer could not give: see OPERATORS_SCOPE.
 */
export class KeyTable {
  private readonly byId = new Map<string, KeyRecord>();
  private readonly principals = new Map<string, Principal>();
  private readonly revoked = new Map<string, Revocation>();

  /** @param onRevoked told once of each key that is revoked */
  constructor(
    private readonly rootId: string,
    private readonly onRevoked: (id: string) => void = () => undefined,
  ) {}

  /** Looks a key up by its hash, so that timing reveals nothing of a key. It may have expired. */
  find(presented: string): Principal | null {
    return this.principals.get(hashKey(presented)) ?? null;
  }

  /** As whom a key comes in that is not revoked. It may have expired. */
  principalOf({ hash }: Pick<KeyRecord, 'hash'>): Principal | null {
    return this.principals.get(hash) ?? null;
  }

  /** Of a key that is not revoked. */
  get(id: string): KeyRecord | null {
    return this.revoked.has(id) ? null : (this.byId.get(id) ?? null);
  }

  /** Of a revoked key, too: what it has begun goes on in its name. */
  recordOf(id: string): KeyRecord | null {
    return this.byId.get(id) ?? null;
  }

  /** null: it is not revoked. */
  revocationOf(id: string): Revocation | null {
    return this.revoked.get(id) ?? null;
  }

  /** Those that are not revoked. */
  all(): readonly KeyRecord[] {
    return [...this.byId.values()].filter(({ id }) => !this.revoked.has(id));
  }

  add(record: KeyRecord): void {
    if (this.byId.has(record.id)) return;
    this.byId.set(record.id, record);
    if (this.revoked.has(record.id)) return;
    const { expiresAt } = record;
    this.principals.set(record.hash, {
      keyId: record.id,
      project: record.project,
      scopes: new Set(record.scopes),
      isRoot: record.id === this.rootId,
      ...(expiresAt === null ? {} : { expiresAt }),
    });
  }

  revoke(id: string, revocation: Revocation): void {
    if (this.revoked.has(id)) return;
    this.revoked.set(id, revocation);
    const record = this.byId.get(id);
    if (record !== undefined) this.principals.delete(record.hash);
    this.onRevoked(id);
  }

  /** An event of an `apikey-` stream. False: it says nothing that is known here. */
  apply(recorded: RecordedEvent): boolean {
    const event = apiKeyEvent(recorded);
    if (event === null || event.stream !== apiKeyStream(event.data.id)) return false;
    if (event.type === 'api_key_issued') this.add(recordOf(event.data, event, this.rootId));
    else if (event.type === 'api_key_revoked')
      this.revoke(event.data.id, { keepsTasks: event.data.tasks === 'keep' });
    else return false;
    return true;
  }
}

type Issued = Extract<ApiKeyEvent, { type: 'api_key_issued' }>['data'];

function recordOf(
  { id, name, hash, scopes, webhook_secret, expires_at }: Issued,
  { meta, time }: Pick<RecordedEvent, 'meta' | 'time'>,
  rootId: string,
): KeyRecord {
  const { project, actor } = meta;
  const given = actor === rootId ? scopes : scopes.filter((scope) => scope !== OPERATORS_SCOPE);
  const times = { createdAt: time, expiresAt: expires_at ?? null };
  return { id, name, hash, scopes: given, project, webhookSecret: webhook_secret, ...times };
}
