import 'reflect-metadata';
import { warmSchemaEngine } from '#agent';
import { PinoLogger, SettingsRefused, leaveThreadsTheirLimits, readSettings } from '#platform';
import { AppModule } from './app.module.js';
import { refusalText } from './cli/refusal.js';
import { createHttpApp, listen } from './http/create-http-app.js';
import { HealthChecks } from './http/health-checks.js';
import { watchKafka } from './kafka/kafka-figures.js';
import { openObservability } from './observability/observability.js';
import { watchService } from './observability/service-figures.js';
import { openService } from './service.js';
import { Stop } from './stop.js';

async function start(): Promise<void> {
  leaveThreadsTheirLimits();
  const settings = readSettings();
  const logger = new PinoLogger(settings.logLevel);
  const observability = await openObservability(settings, logger);
  if (observability.tracer !== null) logger.addContext(() => observability.logFields());
  const service = await openService(settings, logger, observability);
  const { clock, random } = service;
  const stop = new Stop(service, settings, logger);
  const isStopping = () => stop.isStopping;
  const { http: watch } = observability;
  const parts = { settings, logger, clock, random, isStopping, watch };
  const app = await createHttpApp(AppModule.of(service), parts);
  watchService(observability.metrics, { ...service, health: app.get(HealthChecks) });
  if (service.kafka !== null) watchKafka(observability.metrics, service.kafka);
  stop.onSignals(app);
  // Before anyone asks, so that no request waits for it.
  warmSchemaEngine();
  const address = await listen(app, settings).catch((error: unknown) => {
    throw new SettingsRefused(`HOST and PORT must be where this process can listen: ${codeOf(error)}`, {
      cause: error,
    });
  });
  logger.info({ address, pid: process.pid }, 'listening');
  service.readModels.ready.catch((error: unknown) => {
    // A stop ends the opening, too.
    if (!stop.isStopping) refuse(error);
  });
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

function refuse(error: unknown): never {
  process.stderr.write(refusalText(error));
  process.exit(1);
}

await start().catch(refuse);
