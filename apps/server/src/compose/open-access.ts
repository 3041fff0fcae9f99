import type { ApiKeys } from '#access';
import type { Settings } from '#platform';
import type { ReadModels } from '#read-models';
import type { TaskPauses } from '#runs';
import type { Receipts, Witnesses } from '#sealer';
import { KeyUsesOfTable, openApiKeys } from './open-api-keys.js';
import type { Foundation } from './open-foundation.js';
import { openReceipts, originOf } from './open-receipts.js';
import { taskPausesOf } from './open-task-clock.js';
import { openWitnesses } from './open-witnesses.js';

/** The keys of the callers, and what their end asks for; what signs, and who cosigns, until the signal. */
export async function openKeysOn(
  ports: Foundation,
  settings: Settings,
  readModels: ReadModels,
  signal: AbortSignal,
): Promise<OpenKeys> {
  const uses = new KeyUsesOfTable(readModels.keyUses);
  const apiKeys = await openApiKeys({ ...ports, uses }, settings, signal);
  const mayAct = (keyId: string): boolean => apiKeys.mayAct(keyId);
  const witnesses = await openWitnesses(settings.witnesses, originOf(ports.log, settings), ports.clock);
  signal.addEventListener('abort', () => void witnesses.close(), { once: true });
  const receipts = await openReceipts(ports, settings, signal);
  return { apiKeys, receipts, witnesses, mayAct, openPauses: taskPausesOf(readModels, { ...ports, mayAct }) };
}

interface OpenKeys {
  readonly apiKeys: ApiKeys;
  readonly receipts: Receipts;
  readonly witnesses: Witnesses;
  /** Whether what is done later may be done in the name of a key. */
  readonly mayAct: (keyId: string) => boolean;
  readonly openPauses: () => TaskPauses;
}
