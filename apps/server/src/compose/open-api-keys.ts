import type { Settings } from '#platform';
import type { KeyUseTable } from '#read-models';
import { ApiKeys, type ApiKeysPorts, KeyUses } from '#access';

/** When keys were last used, as a table that all replicas share has it. */
export class KeyUsesOfTable extends KeyUses {
  constructor(private readonly table: KeyUseTable) {
    super();
  }

  override record(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.table.record(uses);
  }

  override of(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.table.of(keyIds);
  }
}

/** The keys of the callers. @throws LogUnavailable */
export async function openApiKeys(
  ports: ApiKeysPorts,
  settings: Pick<Settings, 'adminKey' | 'webhookSecret'>,
  signal: AbortSignal,
): Promise<ApiKeys> {
  const apiKeys = new ApiKeys(ports, settings);
  await apiKeys.start(signal);
  return apiKeys;
}
