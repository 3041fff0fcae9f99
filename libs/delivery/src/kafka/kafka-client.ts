import { hostname } from 'node:os';
import kafkajs, {
  type Kafka,
  type KafkaConfig,
  type LogEntry,
  type RetryOptions,
  type SASLOptions,
} from 'kafkajs';
import { type Logger, scrub } from '#platform';
import { boundGzip } from './bounded-gzip.js';
import { disableIdleRequestTimers } from './idle-request-timers.js';
import { useFastProduceEncoding } from './fast-produce-encoding.js';
import { bootstrapAddress, openSocket } from './sockets.js';

/** Where the brokers are and how they are spoken to. Holds a password: never log it. */
export interface KafkaConnection {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  /** TLS, checked against the system's certificates and those of NODE_EXTRA_CA_CERTS. */
  readonly ssl: boolean;
  readonly sasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  } | null;
}

const CONNECTION_TIMEOUT_MS = 3_000;
const AUTHENTICATION_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Short: whoever uses the client tries again from what is certain, and shows meanwhile that it fails. */
const RETRY: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 4 };

/** A client of its own for each use: their connections share nothing. */
export function openKafka({ brokers, ssl, sasl }: KafkaConnection, logger: Logger): Kafka {
  boundGzip();
  disableIdleRequestTimers();
  useFastProduceEncoding();
  const config: KafkaConfig = {
    clientId: `annals-${hostname()}`,
    brokers: brokers.map(bootstrapAddress),
    ssl: ssl ? {} : false,
    socketFactory: openSocket,
    ...(sasl === null ? {} : { sasl: sasl as SASLOptions }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: AUTHENTICATION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: RETRY,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => write(logger, entry),
  };
  return new kafkajs.Kafka(config);
}

/** The client calls an error what it then tries again: what matters is said by those who use it. */
function write(logger: Logger, { namespace, log }: LogEntry): void {
  const { message, broker, topic, groupId } = log;
  logger.debug({ kafka: namespace, broker, topic, groupId }, scrub(message));
}

/** What went wrong, in one line fit for an operator: the innermost cause, without secrets. */
export function reasonOf(error: unknown): string {
  let innermost = error;
  for (let depth = 0; depth < 5 && hasCause(innermost); depth++) innermost = innermost.cause;
  return scrub(innermost instanceof Error ? innermost.message : String(innermost)).split('\n')[0] ?? '';
}

const hasCause = (error: unknown): error is { readonly cause: unknown } =>
  error instanceof Error && error.cause !== undefined && error.cause !== error;

/** The protocol's name of an error (`TOPIC_ALREADY_EXISTS`), wherever in its causes it stands. */
export function protocolErrorOf(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('type' in at && typeof at.type === 'string') return at.type;
  }
  return null;
}
