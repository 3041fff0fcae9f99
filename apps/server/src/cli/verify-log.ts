import { verifyLog } from '#event-log';
import { PinoLogger, SystemClock, SystemRandom, readSettings } from '#platform';
import { openLog } from '../open-log.js';
import { RunChecks } from '../run-checks.js';
import { Progress } from './progress.js';

/** `annals verify-log`: reads the whole log that the settings name, and says what is wrong with it. */
export async function run(): Promise<number> {
  const logger = new PinoLogger('warn');
  const log = await openLog(readSettings(), { clock: new SystemClock(), random: new SystemRandom(), logger });
  const runs = new RunChecks();
  let progress: Progress | null = null;
  try {
    const bar = new Progress(await log.head());
    progress = bar;
    const { events, streams, faultCount, faults } = await verifyLog(log, {
      checks: [runs.check],
      onProgress: (position) => bar.update(position),
    });
    bar.stop();
    for (const { stream, revision, position, what } of faults)
      process.stdout.write(`${stream} revision ${revision} (position ${position}): ${what}\n`);
    if (faultCount > faults.length) process.stdout.write(`and ${faultCount - faults.length} more\n`);
    process.stdout.write(
      `${events} events, ${streams} streams, ${runs.count} runs (${runs.unfinished} not ended), ${faultCount} faults\n`,
    );
    return faultCount > 0 ? 1 : 0;
  } finally {
    progress?.stop();
    await log.close();
  }
}
