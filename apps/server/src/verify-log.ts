import { SingleBar } from 'cli-progress';
import { LogRefused, LogUnavailable, verifyLog } from '#event-log';
import { PinoLogger, SettingsRefused, SystemClock, SystemRandom, readSettings } from '#platform';
import { openLog } from './open-log.js';
import { RunChecks } from './run-checks.js';

/** `npm run verify-log`: reads the whole log that the settings name, and says what is wrong with it. */
async function verify(): Promise<void> {
  const logger = new PinoLogger('warn');
  const log = await openLog(readSettings(), { clock: new SystemClock(), random: new SystemRandom(), logger });
  const bar = new SingleBar({ format: '{bar} {percentage}% | {eta_formatted} left' });
  const runs = new RunChecks();
  try {
    bar.start(Math.max(1, await log.head()), 0);
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
    if (faultCount > 0) process.exitCode = 1;
  } finally {
    bar.stop();
    await log.close();
  }
}

await verify().catch((error: unknown) => {
  const isExpected =
    error instanceof SettingsRefused || error instanceof LogRefused || error instanceof LogUnavailable;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
