import { type EgressAllow, readEgressAllow } from './egress/allow-list.js';
import { LEAST_READER_MB } from './memory-shares.js';
import * as read from './setting-values.js';
import { type ReadValue, WrongValue } from './setting-values.js';

export const ROLES = ['api', 'projector', 'relay', 'clock', 'indexer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * A variable of the environment is wrong. The message is one line: the variable and what it accepts, never
 * its value.
 */
export class SettingsRefused extends Error {
  override readonly name = 'SettingsRefused';
}

/** All settings. It holds secrets: never log it as a whole. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Base of links and of CloudEvents sources: an http or https URL, without a trailing slash. */
  readonly publicUrl: string;
  /** The same where it was set; null: answers go by the Host of each request. */
  readonly statedPublicUrl: string | null;
  readonly dataDir: string;
  readonly eventstoreUrl: string | null;
  readonly eventstorePrefix: string;
  readonly databaseUrl: string | null;
  readonly kafkaBrokers: readonly string[];
  readonly kafkaCommandsProject: string | null;
  readonly kafkaSsl: boolean;
  readonly kafkaSasl: read.Sasl | null;
  /** null: the built-in demo model. */
  readonly openai: { readonly baseUrl: string; readonly apiKey: string | null } | null;
  readonly models: { readonly flash: string; readonly base: string; readonly max: string };
  /** Path of a price list (JSON); null: there is none but the built-in one. */
  readonly modelPrices: string | null;
  /** Parameters that are left out of requests to the model, by mode. */
  readonly modelOmit: Readonly<Record<'flash' | 'base' | 'max', readonly ModelParameter[]>>;
  /** Tokens of context in each mode. */
  readonly contexts: Readonly<Record<'flash' | 'base' | 'max', number>>;
  /** Concurrent calls to the model's server; null: unlimited. */
  readonly modelConcurrency: number | null;
  readonly modelTimeoutMs: number;
  /** null: generated at first start. */
  readonly adminKey: string | null;
  /** 32 bytes; null: generated into dataDir. */
  readonly masterKey: Buffer | null;
  /** The master key to rotate to, for `npm run rotate-master-key` only. */
  readonly newMasterKey: Buffer | null;
  /**
   * Days after which backups of the key store are deleted: told to whoever erases, since they still hold
   * destroyed keys.
   */
  readonly keyBackupDays: number;
  /** `whsec_…`; null: derived from the installation's own key. */
  readonly webhookSecret: string | null;
  readonly egressAllow: EgressAllow;
  readonly roles: ReadonlySet<Role>;
  readonly shutdownGraceMs: number;
  readonly takeoverMs: number;
  readonly otelEndpoint: string | null;
  readonly maxRuns: number;
  readonly maxRunsPerProject: number;
  readonly maxQueuedRunsPerProject: number;
  readonly maxTasksPerProject: number;
  readonly maxStoredBytesPerProject: number;
  /** Bound on memory of large answers while they are written. */
  readonly maxAnswersBytes: number;
  readonly runTimeoutMs: number;
  readonly maxSteps: number;
  readonly maxUploadBytes: number;
  /** Of all processes that read documents; null: what the machine or the container allows. */
  readonly documentsMemoryMb: number | null;
  readonly rateLimitRpm: number;
  /** Whose log it is, in what is signed; null: named after the log itself. */
  readonly annalsOrigin: string | null;
  /** Path of a tlog-policy file: who cosigns what the log signs; null: nobody. */
  readonly witnesses: string | null;
  /** Whether `/proof/…` is answered without a key. */
  readonly isProofPublic: boolean;
  /** Whether `/console` is served. */
  readonly console: boolean;
  /** Origins whose pages may read answers (CORS). */
  readonly corsOrigins: readonly string[];
  /** A second port that serves `/healthz` and `/readyz` only; null: none. */
  readonly probePort: number | null;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxBodyBytes: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** Parameters that can be left out of requests to the model. */
export const MODEL_PARAMETERS = [
  'reasoning_effort',
  'stream_options',
  'response_format',
  'tool_choice',
] as const;
export type ModelParameter = (typeof MODEL_PARAMETERS)[number];

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const OPENAI = 'https://api.openai.com/v1';

const MEGABYTE = 1024 * 1024;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is not sent to a model, by mode. */
function readOmitted(env: Environment): Settings['modelOmit'] {
  const of = (mode: string): readonly ModelParameter[] =>
    readOne(env, `MODEL_OMIT_${mode}`, readParameters) ?? [];
  return { flash: of('FLASH'), base: of('BASE'), max: of('MAX') };
}

/**
 * Reads and validates every variable.
 * @throws SettingsRefused for the first that is wrong
 */
export function readSettings(env: Environment = process.env): Settings {
  const optional = <T>(name: string, value: ReadValue<T>): T | null => readOne(env, name, value);
  const or = <T>(name: string, value: ReadValue<T>, otherwise: T): T =>
    readOne(env, name, value) ?? otherwise;
  const host = or('HOST', read.word('an address or a host name'), '127.0.0.1');
  const port = or('PORT', read.port, 3000);
  const settings: Settings = {
    host,
    port,
    publicUrl: or('PUBLIC_URL', read.publicUrl, localUrl({ host, port })),
    statedPublicUrl: optional('PUBLIC_URL', read.publicUrl),
    dataDir: or('DATA_DIR', readPath, './data'),
    eventstoreUrl: optional('EVENTSTORE_URL', esdbUrl),
    eventstorePrefix: or('EVENTSTORE_PREFIX', readPrefix, 'annals.'),
    databaseUrl: optional('DATABASE_URL', postgresUrl),
    kafkaBrokers: or('KAFKA_BROKERS', read.list(read.hostAndPort), []),
    kafkaCommandsProject: optional('KAFKA_COMMANDS_PROJECT', (text) => text),
    kafkaSsl: or('KAFKA_SSL', read.flag('true', 'false'), false),
    kafkaSasl: optional('KAFKA_SASL', read.sasl),
    openai: readOpenai(env),
    models: readModels(env),
    modelPrices: optional('MODEL_PRICES', readPath),
    modelOmit: readOmitted(env),
    contexts: readContexts(env),
    modelConcurrency: optional('MODEL_CONCURRENCY', read.positive()),
    modelTimeoutMs: or('MODEL_TIMEOUT_S', read.positive(1000), 120_000),
    adminKey: optional('ANNALS_ADMIN_KEY', read.adminKey),
    masterKey: optional('ANNALS_MASTER_KEY', read.key32),
    newMasterKey: optional('ANNALS_NEW_MASTER_KEY', read.key32),
    keyBackupDays: or('KEY_BACKUP_DAYS', read.positive(), 30),
    webhookSecret: optional('ANNALS_WEBHOOK_SECRET', read.webhookSecret),
    egressAllow: or('EGRESS_ALLOW', readEgressAllow, readEgressAllow('')),
    roles: new Set(or<readonly Role[]>('ROLES', readRoles, ROLES)),
    shutdownGraceMs: or('SHUTDOWN_GRACE_S', read.seconds, 20_000),
    takeoverMs: or('TAKEOVER_S', read.positive(1000), 10_000),
    otelEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', read.httpUrl),
    maxRuns: or('MAX_RUNS', read.positive(), 500),
    maxRunsPerProject: or('MAX_RUNS_PER_PROJECT', read.positive(), Number.MAX_SAFE_INTEGER),
    maxQueuedRunsPerProject: or('MAX_QUEUED_RUNS_PER_PROJECT', read.positive(), 2_000),
    maxTasksPerProject: or('MAX_TASKS_PER_PROJECT', read.positive(), 1_000),
    maxStoredBytesPerProject: or('MAX_STORED_MB_PER_PROJECT', read.positive(MEGABYTE), 10_240 * MEGABYTE),
    maxAnswersBytes: or('MAX_ANSWERS_MB', read.positive(MEGABYTE), 64 * MEGABYTE),
    runTimeoutMs: or('RUN_TIMEOUT_S', read.positive(1000), 600_000),
    maxSteps: or('MAX_STEPS', read.positive(), 50),
    maxUploadBytes: or('MAX_UPLOAD_MB', read.positive(1024 * 1024), 50 * 1024 * 1024),
    documentsMemoryMb: optional('DOCUMENTS_MEMORY_MB', read.atLeast(LEAST_READER_MB)),
    rateLimitRpm: or('RATE_LIMIT_RPM', read.positive(), 600),
    ...readProof(env),
    console: or('CONSOLE', read.flag('on', 'off'), true),
    corsOrigins: or('CORS_ORIGINS', read.list(read.origin), []),
    probePort: optional('PROBE_PORT', read.port),
    maxConnections: or('MAX_CONNECTIONS', read.positive(), 10_000),
    maxConnectionsPerAddress: or('MAX_CONNECTIONS_PER_ADDRESS', read.positive(), 4_000),
    maxBodyBytes: or('MAX_BODY_KB', read.positive(1024), 2048 * 1024),
    logLevel: or('LOG_LEVEL', read.oneOf(...LOG_LEVELS), 'info'),
  };
  requireSharedKeys(settings);
  requireTwoPorts(settings);
  return Object.freeze(settings);
}

/** A variable that is empty counts as unset. */
const textOf = (env: Environment, name: string): string | null => env[name]?.trim() || null;

function readOne<T>(env: Environment, name: string, value: ReadValue<T>): T | null {
  const text = textOf(env, name);
  if (text === null) return null;
  try {
    return value(text);
  } catch (error) {
    if (error instanceof WrongValue) throw new SettingsRefused(`${name} must be ${error.message}`);
    throw error;
  }
}

function readOpenai(env: Environment): Settings['openai'] {
  const baseUrl = readOne(env, 'OPENAI_BASE_URL', read.httpUrl);
  const apiKey = readOne(env, 'OPENAI_API_KEY', read.word('an API key'));
  return baseUrl === null && apiKey === null ? null : { baseUrl: baseUrl ?? OPENAI, apiKey };
}

const readProof = (env: Environment): Pick<Settings, 'annalsOrigin' | 'witnesses' | 'isProofPublic'> => ({
  annalsOrigin: readOne(env, 'ANNALS_ORIGIN', read.logOrigin),
  witnesses: readOne(env, 'WITNESSES', readPath),
  isProofPublic: readOne(env, 'PROOF_PUBLIC', read.flag('true', 'false')) ?? false,
});

const readModels = (env: Environment): Settings['models'] => ({
  flash: readOne(env, 'MODEL_FLASH', modelName) ?? 'gpt-5-nano',
  base: readOne(env, 'MODEL_BASE', modelName) ?? 'gpt-5-mini',
  max: readOne(env, 'MODEL_MAX', modelName) ?? 'gpt-5',
});

const readContexts = (env: Environment): Settings['contexts'] => ({
  flash: readOne(env, 'CONTEXT_FLASH', contextTokens) ?? 50_000,
  base: readOne(env, 'CONTEXT_BASE', contextTokens) ?? 100_000,
  max: readOne(env, 'CONTEXT_MAX', contextTokens) ?? 200_000,
});

/** The service's URL for a client on this machine; a wildcard listen address becomes a loopback one. */
export function localUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Replicas that share a log or a database must agree on both keys. */
function requireSharedKeys({ eventstoreUrl, databaseUrl, adminKey, masterKey }: Settings): void {
  const outside = eventstoreUrl !== null ? 'EVENTSTORE_URL' : databaseUrl !== null ? 'DATABASE_URL' : null;
  if (outside === null) return;
  if (adminKey === null) {
    throw new SettingsRefused(`ANNALS_ADMIN_KEY must be set with ${outside}: 16 characters or more`);
  }
  if (masterKey === null) {
    throw new SettingsRefused(`ANNALS_MASTER_KEY must be set with ${outside}: 32 bytes as base64 or hex`);
  }
}

function requireTwoPorts({ port, probePort }: Settings): void {
  if (probePort !== null && probePort !== 0 && probePort === port)
    throw new SettingsRefused('PROBE_PORT must be another port than PORT');
}

const esdbUrl = read.url('esdb://host:2113', 'esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover');
const postgresUrl = read.url('postgres://user:password@host:5432/name', 'postgres', 'postgresql');
const modelName = read.word("a model's name");
const contextTokens = read.between(1_000, 10_000_000);
const readParameters = read.list(read.oneOf(...MODEL_PARAMETERS));
const readRoles = read.list(read.oneOf(...ROLES));

const readPath: ReadValue<string> = (text) => {
  if (text.includes('\0')) throw new WrongValue('a path');
  return text;
};

const readPrefix: ReadValue<string> = (text) => {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(text) || text.startsWith('$')) {
    throw new WrongValue('1 to 64 letters, digits, dots, dashes or underscores');
  }
  return text;
};
