import type { ProjectId } from '#domain';
import { type RowOf, mapped, nullable, table, text, whole } from '#postgres';

export const API_KEYS = table(
  'api_keys',
  { key: ['id'] },
  {
    id: text('id'),
    project: text<ProjectId>('project'),
    name: text('name'),
    scopes: mapped(
      text('scopes'),
      (list: readonly string[]) => list.join(' '),
      (stored): readonly string[] => stored.split(' '),
    ),
    hash: text('hash'),
    webhookSecret: text('webhook_secret'),
    /** ms since 1970 */
    createdAt: whole('created_at'),
    revokedAt: nullable(whole('revoked_at')),
  },
);

export type ApiKeyRow = RowOf<typeof API_KEYS>;
