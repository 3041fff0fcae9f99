import { LogRefused } from '#event-log';
import {
  ProcessBackground,
  type Settings,
  SettingsRefused,
  SystemClock,
  SystemRandom,
  readSettings,
} from '#platform';
import { LogKeys } from '#sealer';
import { PinoLogger } from '../observability/pino-logger.js';
import {
  type LogKeyAnswer,
  type LogKeyRequest,
  askForLogKey,
  changeLogKeys,
} from '../compose/log-key-requests.js';
import { openSealed } from '../compose/open-keys.js';
import { requireLog } from '../compose/open-log.js';
import { originOf } from '../compose/open-proof.js';
import type { CommandArgs } from './command.js';

/** `annals rotate-log-key`: makes the next key that signs the log, or ends the lowest one; the service may run. */
export async function run({ flags }: CommandArgs): Promise<number> {
  const settings = readSettings();
  requireLog(settings);
  const request = { retires: flags.has('--retire') };
  const { isDone, text } = await onLog(settings, request).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return ofService(settings, request, error);
  });
  (isDone ? process.stdout : process.stderr).write(`${text}\n`);
  return isDone ? 0 : 1;
}

const isInUse = (error: unknown): error is LogRefused =>
  error instanceof LogRefused && error.message.includes('is in use by process');

async function onLog(settings: Settings, request: LogKeyRequest): Promise<LogKeyAnswer> {
  const logger = new PinoLogger('warn');
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger };
  const { log, box, store: signed, close } = await openSealed(settings, ports);
  const done = new AbortController();
  try {
    const background = new ProcessBackground(logger);
    const keys = new LogKeys(originOf(log, settings), { ...ports, log, box, signed, background });
    await keys.start(done.signal);
    return await changeLogKeys(keys, request);
  } finally {
    done.abort();
    await close();
  }
}

/** Has it done by the service that has the log. */
async function ofService(
  { dataDir }: Settings,
  request: LogKeyRequest,
  refused: LogRefused,
): Promise<LogKeyAnswer> {
  const answer = await askForLogKey(dataDir, request);
  if (answer === null) throw new SettingsRefused(`${refused.message}, and it does not answer`);
  return answer;
}
