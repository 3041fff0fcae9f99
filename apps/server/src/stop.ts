import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger, Settings } from '#platform';
import type { Service } from './service.js';

/** A stop ends within 30 s, whatever hangs. */
const AT_MOST_MS = 28_000;
/** What is left of it for streams, connections and files after the runs had their time. */
const CLOSING_MS = 6_000;

/** First signal: stop in order, without loss. Second: end at once, which loses nothing either: the log has it all. */
export class Stop {
  private isUnderWay = false;

  constructor(
    private readonly service: Service,
    private readonly settings: Pick<Settings, 'shutdownGraceMs'>,
    private readonly logger: Logger,
  ) {}

  /** Whether no request is taken any more. */
  get isStopping(): boolean {
    return this.isUnderWay;
  }

  onSignals(app: NestFastifyApplication): void {
    const stop = (signal: NodeJS.Signals): void => {
      if (this.isUnderWay) process.exit(1);
      this.isUnderWay = true;
      this.logger.info({ signal }, 'stopping');
      setTimeout(() => process.exit(1), AT_MOST_MS).unref();
      void this.stop(app);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  }

  private async stop(app: NestFastifyApplication): Promise<void> {
    const { server } = app.getHttpAdapter().getInstance();
    try {
      server.close();
      await this.service.close(Math.min(this.settings.shutdownGraceMs, AT_MOST_MS - CLOSING_MS));
      server.closeAllConnections();
      await app.close();
      this.logger.info({}, 'stopped');
    } catch (error) {
      this.logger.error({ err: error }, 'the stop did not go through');
    }
    process.exit(0);
  }
}
