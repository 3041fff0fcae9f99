import { type ApiKeyEvent, Problem, type Scope, apiKeyStream, invalid, notFound } from '#domain';
import { type AppendResult, type EventLog, type Expected, appendUntilDefinite, newEvent } from '#event-log';
import { type Background, type Clock, type Random, type SecretBox, derivedWebhookSecret } from '#platform';
import { type KeySnapshot, NO_SNAPSHOT, followKeys } from './key-feed.js';
import { type KeyRecord, KeyTable, hashKey } from './key-table.js';
import type { Principal } from './principal.js';

export interface ApiKeysPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
  readonly background: Background;
}

export interface ApiKeysOptions {
  /** The first admin key; null: the one on the log, made at the first start. */
  readonly adminKey: string | null;
  /** Signs the callbacks of the first admin key; null: derived from the master key. */
  readonly webhookSecret: string | null;
  /** Keys up to some position; absent: the log is read from its start. */
  readonly load?: () => Promise<KeySnapshot>;
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Absent: the project of whoever asks. */
  readonly project?: string;
}

/** What is shown once. */
export interface IssuedKey {
  readonly record: KeyRecord;
  readonly key: string;
  readonly webhookSecret: string;
}

/** The first admin key has no other id, so that there is one at most. */
export const ROOT_KEY_ID = 'key_root';
const DEFAULT_PROJECT = 'default';

/** The keys of the callers: who they are, what they may do. The log is their record, a table in memory answers. */
export class ApiKeys {
  private readonly table = new KeyTable(ROOT_KEY_ID);

  constructor(
    private readonly ports: ApiKeysPorts,
    private readonly options: ApiKeysOptions,
  ) {
    // In the table before anything of the log is, so that a key that the log holds under this id does not count.
    if (options.adminKey !== null) this.table.add(rootRecord(options.adminKey, ''));
  }

  /**
   * Reads the keys; at the very first start without a set admin key, makes one. `show` gets it before it is written: a
   * crash between the two costs a key that never was valid, not one that nobody knows.
   * @throws LogUnavailable
   */
  async start(signal: AbortSignal, show: (key: string) => void): Promise<void> {
    const snapshot = await (this.options.load?.() ?? NO_SNAPSHOT);
    await followKeys(this.table, this.ports, snapshot, signal);
    if (this.table.get(ROOT_KEY_ID) !== null) return;
    const key = this.newKey();
    show(key);
    const secret = derivedWebhookSecret(this.ports.box);
    await this.write(rootRecord(key, this.ports.box.seal(secret, contextOf(ROOT_KEY_ID))), ROOT_KEY_ID);
  }

  /** The principal of a presented key; null: unknown or revoked. */
  authenticate(key: string): Principal | null {
    return this.table.find(key);
  }

  /** @throws Problem forbidden; LogUnavailable */
  async issue(caller: Principal, { name, scopes, project = caller.project }: NewKey): Promise<IssuedKey> {
    if (!caller.isRoot && project !== caller.project) {
      throw new Problem('forbidden', 'only the first admin key makes keys of other projects');
    }
    const { random, box, clock } = this.ports;
    const id = `key_${random.hex(12)}`;
    const key = this.newKey();
    const webhookSecret = `whsec_${Buffer.from(random.hex(32), 'hex').toString('base64')}`;
    const record: KeyRecord = {
      id,
      name,
      hash: hashKey(key),
      scopes: [...new Set(scopes)],
      project,
      webhookSecret: box.seal(webhookSecret, contextOf(id)),
      createdAt: clock.now(),
    };
    await this.write(record, caller.keyId);
    return { record, key, webhookSecret };
  }

  /** Effective at once in this process. @throws Problem not_found; LogUnavailable */
  async revoke(caller: Principal, id: string): Promise<void> {
    const record = this.table.get(id);
    if (record === null || !administers(caller, record)) throw notFound('the key');
    const event: ApiKeyEvent = { type: 'api_key_revoked', data: { id } };
    // A conflict means that somebody else has revoked it.
    await this.append(event, record.project, caller.keyId, 0);
    this.table.remove(id);
  }

  /** Newest first. @throws Problem invalid_request for a cursor that is none */
  list(
    caller: Principal,
    limit: number,
    cursor?: string,
  ): { items: readonly KeyRecord[]; next: string | null } {
    const after = cursor === undefined ? null : readCursor(cursor);
    const rest = [...this.table.all()]
      .filter((key) => administers(caller, key) && (after === null || compare(after, key) < 0))
      .sort(compare);
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    return { items, next: last === undefined || rest.length <= limit ? null : cursorOf(last) };
  }

  /** `whsec_…` that signs what runs of this key send; null: there is no such key. @throws SealBroken */
  webhookSecretOf(keyId: string): string | null {
    const { box } = this.ports;
    if (keyId === ROOT_KEY_ID) return this.options.webhookSecret ?? derivedWebhookSecret(box);
    const record = this.table.get(keyId);
    return record === null ? null : box.open(record.webhookSecret, contextOf(keyId));
  }

  private newKey(): string {
    return `annals_${Buffer.from(this.ports.random.hex(32), 'hex').toString('base64url')}`;
  }

  private async write(record: KeyRecord, actor: string): Promise<void> {
    const { id, name, hash, scopes, webhookSecret, project } = record;
    const data = { id, name, hash, scopes, webhook_secret: webhookSecret };
    const result = await this.append(
      { type: 'api_key_issued', data },
      project,
      actor,
      'no_stream',
      record.createdAt,
    );
    if (result.kind === 'conflict') throw new Problem('conflict', 'this key is there already');
    this.table.add(record);
  }

  private append(
    event: ApiKeyEvent,
    project: string,
    actor: string,
    expected: Expected,
    time = this.ports.clock.now(),
  ): Promise<AppendResult> {
    const { log, clock, random } = this.ports;
    const made = newEvent({ id: random.uuid(), time, ...event }, { schemaVersion: 1, project, actor });
    return appendUntilDefinite(log, clock, random, apiKeyStream(event.data.id), [made], { expected });
  }
}

const rootRecord = (key: string, webhookSecret: string): KeyRecord => ({
  id: ROOT_KEY_ID,
  name: 'first admin key',
  hash: hashKey(key),
  scopes: ['admin'],
  project: DEFAULT_PROJECT,
  webhookSecret,
  createdAt: 0,
});

const contextOf = (id: string): string => `api-key/${id}/webhook-secret`;

/** The first admin key is the operator's: no key sees or revokes it. */
const administers = (caller: Principal, key: KeyRecord): boolean =>
  key.id !== ROOT_KEY_ID && (caller.isRoot || key.project === caller.project);

type Place = Pick<KeyRecord, 'createdAt' | 'id'>;

const compare = (a: Place, b: Place): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const cursorOf = ({ createdAt, id }: Place): string =>
  Buffer.from(`${createdAt}.${id}`).toString('base64url');

function readCursor(cursor: string): Place {
  const match = /^(\d{1,16})\.(key_[a-z0-9]+)$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) throw invalid('cursor', 'is not a cursor of this list');
  return { createdAt: Number(match[1]), id: match[2] ?? '' };
}
