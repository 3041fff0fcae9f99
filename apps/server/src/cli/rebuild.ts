import { join } from 'node:path';
import { DiskFileStore } from '#event-log';
import {
  PinoLogger,
  ProcessBackground,
  SystemClock,
  SystemRandom,
  openSecretBox,
  readSettings,
} from '#platform';
import { rebuildReadModels } from '#read-models';
import { openLog } from '../open-log.js';
import { Progress } from './progress.js';

/** `annals rebuild`: fills the read models anew from the log, and puts them in the place of those in use. */
export async function run(): Promise<number> {
  const settings = readSettings();
  const { dataDir, databaseUrl } = settings;
  const logger = new PinoLogger('warn');
  const clock = new SystemClock();
  const box = openSecretBox(dataDir, settings.masterKey);
  const random = new SystemRandom();
  const log = await openLog(settings, { clock, random, logger });
  try {
    const progress = new Progress(await log.head());
    const { events, ms } = await rebuildReadModels({
      ...(databaseUrl === null ? {} : { databaseUrl }),
      folder: join(dataDir, 'postgres'),
      log,
      files: await DiskFileStore.open(join(dataDir, 'files'), box.derive('annals/files/v1')),
      clock,
      random,
      background: new ProcessBackground(logger),
      logger,
      onProgress: (position, head) => progress.update(position, head),
    });
    progress.stop();
    process.stdout.write(`${events} events in ${(ms / 1000).toFixed(1)} s\n`);
    return 0;
  } finally {
    await log.close();
  }
}
