import type { ApiKeys } from '#access';
import type { Settings } from '#platform';
import type { ReadModels } from '#read-models';
import type { TaskPauses } from '#runs';
import { KeyUsesOfTable, openApiKeys } from './open-api-keys.js';
import type { Foundation } from './open-foundation.js';
import { taskPausesOf } from './open-task-clock.js';

/** The keys of the callers, and what their end asks for. */
export async function openKeysOn(
  ports: Foundation,
  settings: Settings,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<OpenKeys> {
  const uses = new KeyUsesOfTable(readModels.keyUses);
  const apiKeys = await openApiKeys({ ...ports, uses }, settings, signal);
  const mayAct = (keyId: string): boolean => apiKeys.mayAct(keyId);
  return { apiKeys, mayAct, openPauses: taskPausesOf(readModels, { ...ports, mayAct }) };
}

interface OpenKeys {
  readonly apiKeys: ApiKeys;
  /** Whether what is done later may be done in the name of a key. */
  readonly mayAct: (keyId: string) => boolean;
  readonly openPauses: () => TaskPauses;
}
