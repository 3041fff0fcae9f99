import { CLEAR_TYPES } from '#vault';
import { type RecordedEvent, verifyLog } from '#event-log';
import { PinoLogger, SystemClock, SystemRandom, readSettings } from '#platform';
import { openSealed } from '../compose/open-keys.js';
import { requireLog } from '../compose/open-log.js';
import { RunChecks } from '../compose/run-checks.js';
import { withProgress } from './progress.js';

/** Streams that hold what somebody said. */
const CONTENT = /^(?:session|task|delivery|datastore|document)-/;

const unsealedContent = ({ stream, type, meta }: RecordedEvent): string | undefined =>
  CONTENT.test(stream) && meta.keyId === undefined && !CLEAR_TYPES.has(type)
    ? 'its content is not sealed'
    : undefined;

/** `annals verify-log`: reads the whole log that the settings name, and says what is wrong with it. */
export async function run(): Promise<number> {
  const logger = new PinoLogger('warn');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger };
  const settings = readSettings();
  requireLog(settings);
  const { log, vault, close } = await openSealed(settings, ports);
  const runs = new RunChecks();
  try {
    const { events, streams, proven, erased, faultCount, faults } = await withProgress(
      await log.head(),
      (onProgress) => verifyLog(log, { checks: [runs.check, unsealedContent], keys: vault, onProgress }),
    );
    for (const { stream, revision, position, what } of faults)
      process.stdout.write(`${stream} revision ${revision} (position ${position}): ${what}\n`);
    if (faultCount > faults.length) process.stdout.write(`and ${faultCount - faults.length} more\n`);
    process.stdout.write(
      `${events} events (${proven} proven, ${erased} erased), ${streams} streams, ${runs.count} runs (${runs.unfinished} not ended), ${faultCount} faults\n`,
    );
    return faultCount > 0 ? 1 : 0;
  } finally {
    await close();
  }
}
