import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import { DiskFileStore, LogRefused, SealedFileStore } from '#event-log';
import {
  PinoLogger,
  ProcessBackground,
  SettingsRefused,
  SystemClock,
  SystemRandom,
  readSettings,
} from '#platform';
import { openSealed } from './open-keys.js';
import { ReadModelsRefused, SealedContentCodec, rebuildReadModels } from '#read-models';

/** `npm run rebuild`: fills the read models anew from the log, and puts them in the place of those in use. */
async function rebuild(): Promise<void> {
  const settings = readSettings();
  const { dataDir, databaseUrl } = settings;
  const logger = new PinoLogger('warn');
  const clock = new SystemClock();
  const random = new SystemRandom();
  const { log, box, vault, streams, close } = await openSealed(settings, { clock, random, logger });
  const disk = await DiskFileStore.open(join(dataDir, 'files'), box.derive('annals/files/v1'));
  const bar = new SingleBar({ format: '{bar} {percentage}% | {value} of {total} | {eta_formatted} left' });
  bar.start(Math.max(1, await log.head()), 0);
  const { events, ms } = await rebuildReadModels({
    ...(databaseUrl === null ? {} : { databaseUrl }),
    folder: join(dataDir, 'postgres'),
    log,
    files: new SealedFileStore(disk, streams),
    contentCodec: new SealedContentCodec(vault),
    clock,
    random,
    background: new ProcessBackground(logger),
    logger,
    onProgress: (position, head) => {
      bar.setTotal(Math.max(1, head));
      bar.update(position);
    },
  });
  bar.stop();
  await close();
  process.stdout.write(`${events} events in ${(ms / 1000).toFixed(1)} s\n`);
}

await rebuild().catch((error: unknown) => {
  const isExpected =
    error instanceof SettingsRefused || error instanceof LogRefused || error instanceof ReadModelsRefused;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
