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

/** The keys of the callers; the first one is made, and shown, at the very first start. @throws LogUnavailable */
export async function openApiKeys(
  ports: ApiKeysPorts,
  settings: Pick<Settings, 'adminKey' | 'webhookSecret'>,
  signal: AbortSignal,
): Promise<ApiKeys> {
  const apiKeys = new ApiKeys(ports, settings);
  await apiKeys.start(signal, showKey);
  return apiKeys;
}

/** On the terminal and nowhere else: not a log line, which may be kept. */
function showKey(key: string): void {
  process.stderr.write(`\nThe first admin key, shown this once:\n\n  ${key}\n\n`);
}
