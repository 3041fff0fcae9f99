import type { Scope } from '#domain';
import { ApiKeyEntity } from '../entities/api-key.entity.js';
import type { Database } from '../postgres/database.js';
import { decodeCursor, type Page, type PageRequest, pageOf } from './cursor.js';
import type { Freshness } from './freshness.js';
import { timestamp } from './views.js';

/** A key as `GET /api-keys` shows it. */
export interface ApiKeyView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly project: string;
  readonly created_at: string;
}

/** What a request with the key may do, and how its callbacks are signed. */
export interface StoredApiKey extends ApiKeyView {
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** Sealed with the master key. */
  readonly sealedWebhookSecret: string;
}

export interface ApiKeyQuery extends PageRequest {
  /** null: of all projects */
  readonly project: string | null;
}

/** Keys that are not revoked. */
export class ApiKeys {
  constructor(
    private readonly database: Database,
    private readonly freshness: Freshness,
  ) {}

  /** Newest first. @throws Problem invalid_request; ReadModelsUnavailable */
  async list({ project, limit, cursor }: ApiKeyQuery): Promise<Page<ApiKeyView>> {
    const after = decodeCursor(cursor);
    await this.freshness.caughtUp();
    const found = await this.database.find(ApiKeyEntity, 'key', (select) => {
      select.where('key.revokedAt IS NULL');
      if (project !== null) select.andWhere('key.project = :project', { project });
      if (after !== null) select.andWhere('(key.createdAt, key.id) < (:createdAt, :id)', after);
      return select
        .orderBy('key.createdAt', 'DESC')
        .addOrderBy('key.id', 'DESC')
        .limit(limit + 1);
    });
    return pageOf(found, limit, viewOf, (row) => ({ createdAt: Number(row.createdAt), id: row.id }));
  }

  /** null: unknown or revoked. @throws ReadModelsUnavailable */
  async byHash(hash: string): Promise<StoredApiKey | null> {
    await this.freshness.caughtUp();
    const [row] = await this.database.find(ApiKeyEntity, 'key', (select) =>
      select.where('key.hash = :hash AND key.revokedAt IS NULL', { hash }),
    );
    return row === undefined ? null : storedOf(row);
  }

  /** null: unknown or revoked. @throws ReadModelsUnavailable */
  async get(id: string): Promise<StoredApiKey | null> {
    await this.freshness.caughtUp();
    const [row] = await this.database.find(ApiKeyEntity, 'key', (select) =>
      select.where('key.id = :id AND key.revokedAt IS NULL', { id }),
    );
    return row === undefined ? null : storedOf(row);
  }

  /** All of them, of all projects. @throws ReadModelsUnavailable */
  async all(): Promise<readonly StoredApiKey[]> {
    await this.freshness.caughtUp();
    const rows = await this.database.find(ApiKeyEntity, 'key', (select) =>
      select.where('key.revokedAt IS NULL'),
    );
    return rows.map(storedOf);
  }
}

const viewOf = (row: ApiKeyEntity): ApiKeyView => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes.split(' ') as Scope[],
  project: row.project,
  created_at: timestamp(row.createdAt),
});

const storedOf = (row: ApiKeyEntity): StoredApiKey => ({
  ...viewOf(row),
  hash: row.hash,
  sealedWebhookSecret: row.webhookSecret,
});
