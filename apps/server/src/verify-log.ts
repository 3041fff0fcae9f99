import { SingleBar } from 'cli-progress';
import { LogRefused, LogUnavailable, type RecordedEvent, verifyLog } from '#event-log';
import { PinoLogger, SettingsRefused, SystemClock, SystemRandom, readSettings } from '#platform';
import { openSealed } from './open-keys.js';
import { RunChecks } from './run-checks.js';

/** Streams that hold what somebody said. */
const CONTENT = /^(?:session|task|delivery|datastore|document)-/;

const unsealedContent = ({ stream, type, meta }: RecordedEvent): string | undefined =>
  CONTENT.test(stream) && meta.keyId === undefined && type !== 'session_erased'
    ? 'its content is not sealed'
    : undefined;

/** `npm run verify-log`: reads the whole log that the settings name, and says what is wrong with it. */
async function verify(): Promise<void> {
  const logger = new PinoLogger('warn');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger };
  const { log, vault, close } = await openSealed(readSettings(), ports);
  const bar = new SingleBar({ format: '{bar} {percentage}% | {eta_formatted} left' });
  const runs = new RunChecks();
  try {
    bar.start(Math.max(1, await log.head()), 0);
    const { events, streams, proven, erased, faultCount, faults } = await verifyLog(log, {
      checks: [runs.check, unsealedContent],
      keys: vault,
      onProgress: (position) => bar.update(position),
    });
    bar.stop();
    for (const { stream, revision, position, what } of faults)
      process.stdout.write(`${stream} revision ${revision} (position ${position}): ${what}\n`);
    if (faultCount > faults.length) process.stdout.write(`and ${faultCount - faults.length} more\n`);
    process.stdout.write(
      `${events} events (${proven} proven, ${erased} erased), ${streams} streams, ${runs.count} runs (${runs.unfinished} not ended), ${faultCount} faults\n`,
    );
    if (faultCount > 0) process.exitCode = 1;
  } finally {
    bar.stop();
    await close();
  }
}

await verify().catch((error: unknown) => {
  const isExpected =
    error instanceof SettingsRefused || error instanceof LogRefused || error instanceof LogUnavailable;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
