import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogKeys } from '#sealer';

/** What is asked of the keys that sign the log. */
export interface LogKeyRequest {
  /** Ends the lowest key instead of making the next one. */
  readonly retires: boolean;
}

export interface LogKeyAnswer {
  readonly isDone: boolean;
  /** For the operator, on one line. */
  readonly text: string;
}

const LOOK_MS = 500;
const PATIENCE_MS = 15_000;
const MAX_CHARS = 1_000;

/** Changes the keys, as somebody asked. @throws LogUnavailable */
export async function changeLogKeys(keys: LogKeys, { retires }: LogKeyRequest): Promise<LogKeyAnswer> {
  if (!retires) {
    const { number, vkey } = await keys.rotate();
    return { isDone: true, text: `key ${number} signs from the next seal on, beside the others: ${vkey}` };
  }
  const retired = await keys.retire();
  if (retired === null)
    return {
      isDone: false,
      text: 'no seal bears signatures of the lowest key and of a later one yet: nothing was retired',
    };
  return { isDone: true, text: `key ${retired.number} signs no more: ${retired.vkey}` };
}

const requestIn = (folder: string): string => join(folder, 'log-key.request');
const answerIn = (folder: string): string => join(folder, 'log-key.answer');

/**
 * A running service has its embedded log for itself: what is asked of its keys comes to it as a file of DATA_DIR, which only
 * the operator can write. Looks for one until the signal.
 */
export async function followLogKeyRequests(
  folder: string,
  keys: LogKeys,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const asked = await readJson<LogKeyRequest & { readonly id: string }>(requestIn(folder));
    if (asked !== null) {
      await rm(requestIn(folder), { force: true });
      const answer = await changeLogKeys(keys, { retires: asked.retires }).catch(failed);
      await writeJson(answerIn(folder), { id: asked.id, ...answer });
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Asks the service that has the log of this folder. null: it does not answer. */
export async function askForLogKey(folder: string, request: LogKeyRequest): Promise<LogKeyAnswer | null> {
  const id = randomUUID();
  await writeJson(requestIn(folder), { id, ...request });
  for (let left = PATIENCE_MS / LOOK_MS; left > 0; left -= 1) {
    await sleep(LOOK_MS);
    const answer = await readJson<LogKeyAnswer & { readonly id: string }>(answerIn(folder));
    if (answer?.id !== id) continue;
    await rm(answerIn(folder), { force: true });
    return answer;
  }
  await rm(requestIn(folder), { force: true });
  return null;
}

const failed = (error: unknown): LogKeyAnswer => ({
  isDone: false,
  text: error instanceof Error ? error.message : String(error),
});

/** null: there is none that can be read. */
async function readJson<T>(file: string): Promise<T | null> {
  try {
    const text = await readFile(file, 'utf8');
    return text.length > MAX_CHARS ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Whole or not at all. */
async function writeJson(file: string, value: object): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, file);
}
