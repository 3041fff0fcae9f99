import { constants, fstatSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import { Logger, scrub } from '#platform';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Bound on bytes buffered while the reader of stdout is stalled; further lines are dropped and counted. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * JSON lines on stdout (or `destination`). Errors are logged with their causes, without their fields, which
 * hold secrets. Writes never block: a stalled log collector stalls nothing. What is buffered is written at
 * shutdown.
 */
export class PinoLogger extends Logger {
  private readonly pino: Pino;
  private context: () => object = () => NOTHING;
  /** null: an injected destination is used. */
  private lines: Lines | null = null;
  /** Whether lines are buffered that are not written yet. */
  private isWriting = false;

  constructor(level: LogLevel = 'info', destination?: DestinationStream) {
    super();
    const options = {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
      // A new object each time: pino writes the line's own fields into it.
      mixin: () => this.fieldsOfContext(),
      serializers: { err: (error: unknown) => describeError(error) },
    };
    this.pino = pino(options, destination ?? this.stdout());
  }

  /** Adds fields to every line, e.g. the ids of the current trace. */
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

  /**
   * Flushes all lines, for at most `withinMs`; what is left then is dropped. Nothing is written afterwards.
   */
  async end(withinMs: number): Promise<void> {
    const { lines } = this;
    if (lines === null) return;
    if (this.isWriting) {
      const patience = new AbortController();
      const written = Promise.withResolvers<void>();
      lines.once('drain', written.resolve).once('error', () => written.resolve());
      await Promise.race([
        written.promise,
        sleep(withinMs, undefined, { signal: patience.signal }).catch(() => undefined),
      ]);
      patience.abort();
    }
    silence(lines);
  }

  /** A line is written even if the context callback throws. */
  private fieldsOfContext(): object {
    try {
      return { ...this.context() };
    } catch {
      return {};
    }
  }

  private stdout(): DestinationStream {
    const stream = pino.destination({ dest: standardOutput(), sync: false, maxLength: MAX_UNREAD_BYTES });
    this.lines = stream;
    // A terminal that was closed takes no lines, and at the exit they would be tried for ever.
    stream.on('error', () => {
      this.isWriting = false;
      silence(stream);
    });
    let lost = 0;
    stream.on('drop', () => lost++);
    stream.on('drain', () => {
      this.isWriting = false;
      if (lost === 0) return;
      const lines = lost;
      lost = 0;
      this.warn({ lines }, 'log lines were lost: nobody read them');
    });
    const write = (line: string): boolean => {
      this.isWriting = true;
      return stream.write(line);
    };
    return { write };
  }
}

const STDOUT = 1;

/**
 * Stdout as a non-blocking descriptor, for a blocking write to a full pipe holds a thread and keeps the
 * process from ending. A pipe is opened anew, since others share the open one; a socket cannot be, and does
 * not block any more once Node has made a stream of it.
 */
function standardOutput(): number {
  try {
    const kind = fstatSync(STDOUT);
    if (kind.isSocket()) return process.stdout.fd;
    if (kind.isFIFO()) return openSync(`/proc/self/fd/${STDOUT}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Another system, or a pipe of somebody else.
  }
  return STDOUT;
}

type Lines = ReturnType<typeof pino.destination>;

/** As pino itself does where nobody is at the other end of a pipe. */
function silence(lines: Lines): void {
  lines.write = () => true;
  lines.end = lines.flushSync = lines.destroy = () => undefined;
}

const NOTHING = {};
const MAX_CAUSES = 5;

/** The topmost stack frame in our own code, e.g. `dist/libs/agent/src/run/journal.js:120`. */
const OWN_FRAME = /((?:apps|libs)\/[\w./-]{1,100}\.[jt]s:\d+)/;

/** An error as log fields: name, message, code, location and causes, without the stack. */
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
