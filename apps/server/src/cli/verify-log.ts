import { CLEAR_TYPES } from '#vault';
import { type RecordedEvent, verifyLog } from '#event-log';
import { checkSeals } from '#sealer';
import { ProcessBackground, SystemClock, SystemRandom, readSettings } from '#platform';
import { PinoLogger } from '../observability/pino-logger.js';
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

/** Makes every seal again; returns in how many origins something is wrong. */
async function tellSeals(ports: Omit<Parameters<typeof checkSeals>[0], 'background'>): Promise<number> {
  const done = new AbortController();
  const background = new ProcessBackground(ports.logger);
  try {
    const checks = await checkSeals({ ...ports, background }, done.signal);
    for (const { origin, seals, fault } of checks)
      process.stdout.write(`${origin}: ${seals} seals${fault === null ? '' : `; ${fault}`}\n`);
    return checks.filter(({ fault }) => fault !== null).length;
  } finally {
    done.abort();
  }
}

/** `annals verify-log`: reads the whole log that the settings name, and says what is wrong with it. */
export async function run(): Promise<number> {
  const logger = new PinoLogger('warn');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger };
  const settings = readSettings();
  requireLog(settings);
  const { log, vault, box, store, close } = await openSealed(settings, ports);
  const runs = new RunChecks();
  try {
    const { events, streams, proven, erased, faultCount, faults } = await withProgress(
      await log.head(),
      (onProgress) => verifyLog(log, { checks: [runs.check, unsealedContent], keys: vault, onProgress }),
    );
    for (const { stream, revision, position, what } of faults)
      process.stdout.write(`${stream} revision ${revision} (position ${position}): ${what}\n`);
    if (faultCount > faults.length) process.stdout.write(`and ${faultCount - faults.length} more\n`);
    const sealFaults = await tellSeals({ ...ports, log, box, signed: store });
    const all = faultCount + sealFaults;
    process.stdout.write(
      `${events} events (${proven} proven, ${erased} erased), ${streams} streams, ${runs.count} runs (${runs.unfinished} not ended), ${all} faults\n`,
    );
    return all > 0 ? 1 : 0;
  } finally {
    await close();
  }
}
