import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger, Settings } from '#platform';
import type { Service } from './service.js';

/** A stop ends within 30 s, whatever hangs. */
const AT_MOST_MS = 28_000;

/** First signal: stop in order, without loss. Second: end at once, which loses nothing either: the log has it all. */
export function stopOnSignals(
  app: NestFastifyApplication,
  service: Service,
  { shutdownGraceMs }: Pick<Settings, 'shutdownGraceMs'>,
  logger: Logger,
): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), AT_MOST_MS).unref();
    void stopAll(app, service, shutdownGraceMs)
      .catch((error: unknown) => logger.error({ err: error }, 'the stop did not go through'))
      .finally(() => {
        logger.info({}, 'stopped');
        process.exit(0);
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function stopAll(app: NestFastifyApplication, service: Service, graceMs: number): Promise<void> {
  const { server } = app.getHttpAdapter().getInstance();
  server.close();
  await service.close(Math.min(graceMs, AT_MOST_MS - 8_000));
  server.closeAllConnections();
  await app.close();
}
