import type { FileStore } from '#vault';
import type { Background, Clock, Logger, Random } from '#platform';
import { type Core, EraseSession, Erasures } from '#runs';
import type { ReadModels } from '#read-models';
import type { FatalParts } from './fatal-parts.js';
import type { SealedParts } from './open-keys.js';

interface ErasureParts {
  readonly sealed: SealedParts;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly fatal: FatalParts;
}

/** What erases sessions, and what carries out the erasures of all replicas, started. */
export function openErasure(
  { sessions, commands, tasks }: Core,
  { lines }: Pick<ReadModels, 'lines'>,
  { sealed, fatal, ...ports }: ErasureParts,
): { readonly erasures: Erasures; readonly eraseSession: EraseSession } {
  const onFatal = fatal.of('erasures');
  const { log, vault: keys, store: checkpoints, streams } = sealed;
  const erasures = new Erasures({ ...ports, log, keys, checkpoints, knowing: [sessions, lines], onFatal });
  erasures.start();
  const eraseSession = new EraseSession({ ...ports, log, streams, sessions, commands, tasks, erasures });
  return { erasures, eraseSession };
}
