import { join } from 'node:path';
import { DiskFileStore, SealedFileStore } from '#vault';
import { ProcessBackground, SystemClock, SystemRandom, readSettings } from '#platform';
import { PostgresProofStore } from '#sealer';
import { SealedContentCodec, rebuildReadModels } from '#read-models';
import { PinoLogger } from '../observability/pino-logger.js';
import { metadataSecretOf, openSealed } from '../compose/open-keys.js';
import { requireLog } from '../compose/open-log.js';
import { withProgress } from './progress.js';

/** `annals rebuild`: fills the read models anew from the log, and puts them in the place of those in use. */
export async function run(): Promise<number> {
  const settings = readSettings();
  requireLog(settings);
  const { dataDir, databaseUrl } = settings;
  const logger = new PinoLogger('warn');
  const clock = new SystemClock();
  const random = new SystemRandom();
  const { log, box, vault, streams, close } = await openSealed(settings, { clock, random, logger });
  try {
    const disk = await DiskFileStore.open(join(dataDir, 'files'), box.derive('annals/files/v1'));
    const { events, ms } = await withProgress(await log.head(), (onProgress) =>
      rebuildReadModels({
        ...(databaseUrl === null ? {} : { databaseUrl }),
        folder: join(dataDir, 'postgres'),
        log,
        files: new SealedFileStore(disk, streams),
        contentCodec: new SealedContentCodec(vault),
        metadataSecret: metadataSecretOf(box),
        clock,
        random,
        background: new ProcessBackground(logger),
        logger,
        onProgress,
        thereAlso: (database) => new PostgresProofStore(database).wantRebuild(),
      }),
    );
    process.stdout.write(`${events} events in ${(ms / 1000).toFixed(1)} s\n`);
    return 0;
  } finally {
    await close();
  }
}
