import { readFile } from 'node:fs/promises';
import { PlainConnections } from '#http';
import { SettingsRefused, SystemClock, closeInOrder, localUrl, readSettings } from '#platform';
import { type Policy, PolicyRefused, parsePolicy } from '#proof';
import { WitnessRefused, WitnessServer, openWitness } from '#witness';
import { PinoLogger } from '../../observability/pino-logger.js';
import { type CommandArgs, CommandRefused, UsageFault } from '../command.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** How long the last lines of the log may take. */
const LINES_MS = 500;

/** `annals witness`: until a signal; a second one ends it at once, which loses nothing. */
export async function run({ values }: CommandArgs): Promise<number> {
  const [file, name] = ['--policy', '--name'].map((option) => values.get(option));
  if (file === undefined || name === undefined)
    throw new UsageFault('witness: --policy and --name are needed; see `annals witness --help`');
  const settings = readSettings();
  const policy = await readPolicy(file);
  const logger = new PinoLogger(settings.logLevel);
  const clock = new SystemClock();
  const connections = new PlainConnections(clock);
  const apiKey = process.env['ANNALS_KEY']?.trim() || null;
  const { dataDir: folder } = settings;
  const opened = orRefuse(() => openWitness({ policy, name, folder, apiKey, connections, clock, logger }));
  const stopped = firstSignal();
  const server = await WitnessServer.open(opened.witness, settings, logger).catch(async (error: unknown) => {
    await opened.close();
    throw cannotListen(error);
  });
  process.stdout.write(`${opened.line}\nlistening on ${localUrl({ ...settings, port: server.port })}\n`);
  await stopped;
  await closeInOrder(
    () => server.close(),
    () => connections.close(),
    () => opened.close(),
    () => logger.end(LINES_MS),
  );
  return 0;
}

async function readPolicy(file: string): Promise<Policy> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code = 'it cannot be read' } = error as NodeJS.ErrnoException;
    throw new CommandRefused(`--policy must be a tlog-policy file: ${code}`);
  });
  return orRefuse(() => parsePolicy(text));
}

function orRefuse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PolicyRefused)
      throw new CommandRefused(`--policy must be a tlog-policy file: ${error.message}`);
    if (error instanceof WitnessRefused) throw new CommandRefused(`witness: ${error.message}`);
    throw error;
  }
}

const cannotListen = (error: unknown): SettingsRefused =>
  new SettingsRefused(
    `HOST and PORT must be where this process can listen: ${(error as NodeJS.ErrnoException).code}`,
    { cause: error },
  );

const firstSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let isStopping = false;
    const hear = (): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, hear);
  });
