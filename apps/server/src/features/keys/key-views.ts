import type { IssuedKey, KeyRecord } from '#access';

/** A key as it is answered once, when it is made. */
export function issuedKeyView({ record, key, webhookSecret }: IssuedKey) {
  const { id, ...described } = common(record);
  const expires = record.expiresAt === null ? {} : { expires_at: timestampOf(record.expiresAt) };
  return { id, key, webhook_secret: webhookSecret, ...described, ...expires };
}

/** A key as it is listed. `lastUse` in ms since 1970; null: never, as far as is known. */
export const keyView = (record: KeyRecord, lastUse: number | null) => ({
  ...common(record),
  expires_at: timestampOf(record.expiresAt),
  last_used_at: timestampOf(lastUse),
});

/** What of a key may be seen again: neither it nor its hash. */
const common = ({ id, name, scopes, project, createdAt }: KeyRecord) => ({
  id,
  name,
  scopes,
  project,
  created_at: timestampOf(createdAt),
});

const timestampOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
