import { type ReadModels, ReadModelsUnavailable } from '#read-models';
import { ApiKeys, type ApiKeysPorts, type KeySnapshot } from '#runs';
import type { Clock, Settings } from '#platform';

const KEYS_PATIENCE_MS = 3_000;
const NO_KEYS: KeySnapshot = { keys: [], position: 0 };

/** The keys as the read models have them; where they do not answer, the log is read from its start. */
async function loadKeys(readModels: ReadModels): Promise<KeySnapshot> {
  try {
    await readModels.ready;
    await readModels.caughtUp();
    const position = await readModels.position();
    const stored = await readModels.apiKeys.all();
    const keys = stored.map((key) => ({
      ...key,
      webhookSecret: key.sealedWebhookSecret,
      createdAt: Date.parse(key.created_at),
    }));
    return { keys, position };
  } catch (error) {
    if (error instanceof ReadModelsUnavailable) return NO_KEYS;
    throw error;
  }
}

/** The keys of the callers; the first one is made, and shown, at the very first start. @throws LogUnavailable */
export async function openApiKeys(
  ports: ApiKeysPorts & { readonly clock: Clock },
  settings: Pick<Settings, 'adminKey' | 'webhookSecret'>,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<ApiKeys> {
  const patience = () => ports.clock.sleep(KEYS_PATIENCE_MS).then(() => NO_KEYS);
  const load = () => Promise.race([loadKeys(readModels), patience()]);
  const apiKeys = new ApiKeys(ports, { ...settings, load });
  await apiKeys.start(signal, showKey);
  return apiKeys;
}

/** On the terminal and nowhere else: not a log line, which may be kept. */
function showKey(key: string): void {
  process.stderr.write(`\nThe first admin key, shown this once:\n\n  ${key}\n\n`);
}
