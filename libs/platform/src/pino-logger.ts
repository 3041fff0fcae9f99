import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { Logger } from './logger.js';
import { scrub } from './scrub.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What is kept of lines that nobody reads; those beyond it are lost, and counted. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * JSON lines on stdout (or `destination`). Errors are logged with their causes, without their fields: those hold secrets.
 * Stdout is not waited for: a collector of log lines that stands still holds up nothing. What waits is written at the exit.
 */
export class PinoLogger extends Logger {
  private readonly pino: Pino;
  private context: () => object = () => NOTHING;

  constructor(level: LogLevel = 'info', destination?: DestinationStream) {
    super();
    const options = {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      // A new object each time: pino writes the line's own fields into it.
      mixin: () => ({ ...this.context() }),
      serializers: { err: (error: unknown) => describeError(error) },
    };
    this.pino = pino(options, destination ?? this.stdout());
  }

  /** Adds fields to every line, e.g. what names the trace that is under way. */
  addContext(context: () => object): void {
    this.context = context;
  }

  override debug(fields: object, message: string): void {
    this.pino.debug(fields, message);
  }
  override info(fields: object, message: string): void {
    this.pino.info(fields, message);
  }
  override warn(fields: object, message: string): void {
    this.pino.warn(fields, message);
  }
  override error(fields: object, message: string): void {
    this.pino.error(fields, message);
  }

  private stdout(): DestinationStream {
    const stream = pino.destination({ dest: 1, sync: false, maxLength: MAX_UNREAD_BYTES });
    let lost = 0;
    stream.on('drop', () => lost++);
    stream.on('drain', () => {
      if (lost === 0) return;
      const lines = lost;
      lost = 0;
      this.warn({ lines }, 'log lines were lost: nobody read them');
    });
    return stream;
  }
}

const NOTHING = {};
const MAX_CAUSES = 5;

/** `dist/libs/agent/src/journal.js:120`, of the topmost frame that is ours: where to look, and no stack. */
const OWN_FRAME = /((?:apps|libs)\/[\w./-]+\.[jt]s:\d+)/;

/** An error as fields of a log line: name, message, code, where it was made, and causes. */
export function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { message: scrub(String(error)) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: scrub(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...placeOf(error),
    ...(error.cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  };
}

function placeOf({ stack = '', message }: Error): { at?: string } {
  const at = OWN_FRAME.exec(stack.slice(stack.indexOf(message) + message.length))?.[1];
  return at === undefined ? {} : { at };
}
