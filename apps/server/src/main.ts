import 'reflect-metadata';
import {
  type Settings,
  SettingsRefused,
  SystemRandom,
  leaveThreadsTheirLimits,
  misspelledSettings,
  readSettings,
} from '#platform';
import { PinoLogger } from './observability/pino-logger.js';
import { AppModule } from './app.module.js';
import { refusalText } from './cli/refusal.js';
import { connectionLimits } from './edge/connections/connection-limits.js';
import { createHttpApp, listen } from './edge/create-http-app.js';
import { HealthChecks } from './edge/probes/health-checks.js';
import { notAsked } from './edge/probes/health-answer.js';
import { ProbeServer } from './edge/probes/probe-server.js';
import { watchDisk } from './observability/disk-figures.js';
import { watchKafka } from './observability/kafka-figures.js';
import { openObservability } from './observability/observability.js';
import { watchService } from './observability/service-figures.js';
import { openService } from './compose/service.js';
import { Stop } from './compose/stop.js';
import { Wrapper } from './compose/wrapper.js';
import { welcome } from './compose/welcome.js';

async function start(stop: Stop, settings: Settings, logger: PinoLogger): Promise<void> {
  const observability = await openObservability(settings, logger);
  if (observability.tracer !== null) logger.addContext(() => observability.logFields());
  const probes = await openProbes(settings);
  if (probes !== null) logger.info({ port: probes.port }, 'answering probes');
  const service = await openService(settings, logger, observability, (detail) => probes?.waits(detail));
  const { clock, random } = service;
  const isStopping = () => stop.isStopping;
  const { http: watch } = observability;
  const parts = {
    settings,
    limits: connectionLimits(settings, logger),
    logger,
    clock,
    random,
    isStopping,
    watch,
  };
  const app = await createHttpApp(AppModule.of(service), parts);
  const health = app.get(HealthChecks);
  watchService(observability.metrics, { ...service, health });
  watchDisk(observability.metrics, settings.dataDir);
  probes?.ask(() => (stop.isStopping ? Promise.resolve(STOPPING) : health.check()));
  if (service.kafka !== null) watchKafka(observability.metrics, service.kafka);
  stop.serve({ service, app });
  if (stop.isStopping) return;
  const address = await listen(app, settings).catch((error: unknown) => {
    throw new SettingsRefused(`HOST and PORT must be where this process can listen: ${codeOf(error)}`, {
      cause: error,
    });
  });
  await welcome(service, settings, address);
  logger.info({ address, docs: `${address}/docs`, pid: process.pid }, 'listening');
  service.readModels.ready.catch((error: unknown) => {
    // A stop ends the opening, too.
    if (!stop.isStopping) refuse(error);
  });
}

/** Before anything is opened, so that a start that takes long is seen to be alive. */
async function openProbes({ host, probePort: port }: Settings): Promise<ProbeServer | null> {
  if (port === null) return null;
  return ProbeServer.open({ host, port }, new SystemRandom()).catch((error: unknown) => {
    throw new SettingsRefused(`PROBE_PORT must be a port where this process can listen: ${codeOf(error)}`, {
      cause: error,
    });
  });
}

const STOPPING = notAsked('the service is stopping', 'the service is stopping');

/** How long the last lines of the log may take. */
const LINES_MS = 500;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

function refuse(error: unknown): never {
  process.stderr.write(refusalText(error));
  process.exit(1);
}

async function run(): Promise<void> {
  const wrapper = Wrapper.find();
  leaveThreadsTheirLimits();
  const settings = readSettings();
  const logger = new PinoLogger(settings.logLevel);
  for (const { name, meant } of misspelledSettings(process.env))
    logger.warn({ variable: name, meant }, `${name} is no setting: ${meant} was probably meant`);
  const exit = (code: number): void => void logger.end(LINES_MS).finally(() => process.exit(code));
  const stop = new Stop({ settings, logger, wrapper, exit });
  stop.listen();
  await start(stop, settings, logger).catch((error: unknown) => {
    // What is closed while it opens cannot be opened.
    if (!stop.isStopping) throw error;
    logger.warn({ err: error }, 'what was being opened was not');
  });
}

await run().catch(refuse);
