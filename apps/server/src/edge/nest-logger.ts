import type { LoggerService } from '@nestjs/common';
import { type Logger, scrub } from '#platform';

/** What Nest says goes to the service's logger; what it says of modules and routes at debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...more: readonly unknown[]): void {
    this.logger.debug(about(more), text(message));
  }
  error(message: unknown, ...more: readonly unknown[]): void {
    this.logger.error(message instanceof Error ? { err: message } : about(more), text(message));
  }
  warn(message: unknown, ...more: readonly unknown[]): void {
    this.logger.warn(about(more), text(message));
  }
}

const text = (message: unknown): string =>
  scrub(
    message instanceof Error
      ? message.message
      : typeof message === 'string'
        ? message
        : JSON.stringify(message),
  );

/** Nest's last argument is the part of it that speaks. */
const about = (more: readonly unknown[]): object => {
  const context = more.at(-1);
  return typeof context === 'string' ? { nest: context } : {};
};
