import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { SettingsRefused, readSettings } from './settings.js';

const KEY = Buffer.alloc(32, 7);

describe('settings', () => {
  test('have the documented defaults', () => {
    expect(readSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      dataDir: './data',
      eventstoreUrl: null,
      eventstorePrefix: 'annals.',
      databaseUrl: null,
      kafkaBrokers: [],
      openai: null,
      adminKey: null,
      masterKey: null,
      shutdownGraceMs: 20_000,
      takeoverMs: 10_000,
      maxRuns: 500,
      maxQueuedRunsPerProject: 2_000,
      maxTasksPerProject: 1_000,
      maxStoredBytesPerProject: 10 * 1024 ** 3,
      maxAnswersBytes: 64 * 1024 ** 2,
      runTimeoutMs: 600_000,
      maxSteps: 50,
      contexts: { flash: 50_000, base: 100_000, max: 200_000 },
      maxUploadBytes: 50 * 1024 * 1024,
      rateLimitRpm: 600,
      corsOrigins: [],
      maxBodyBytes: 2048 * 1024,
      probePort: null,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 4_000,
    });
    expect([...readSettings({}).roles]).toEqual(['api', 'projector', 'relay', 'clock', 'indexer']);
  });

  test('take nothing, or blanks, for unset', () => {
    expect(readSettings({ PORT: '', MAX_RUNS: '  ', DATABASE_URL: '' })).toEqual(readSettings({}));
  });

  test('read what is set', () => {
    const read = readSettings({
      PORT: '0',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/',
      ROLES: 'api, clock',
      DATABASE_URL: 'postgres://u:p@db/annals',
      ANNALS_ADMIN_KEY: 'sixteen-characters',
      ANNALS_MASTER_KEY: KEY.toString('base64'),
      KAFKA_BROKERS: 'a:9092, [::1]:9092',
      KAFKA_SASL: 'SCRAM-SHA-256:me:a:b',
      MAX_BODY_KB: '1',
      RUN_TIMEOUT_S: '99999999999999999999',
    });
    expect(read).toMatchObject({
      port: 0,
      openai: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null },
      kafkaBrokers: ['a:9092', '[::1]:9092'],
      kafkaSasl: { mechanism: 'scram-sha-256', username: 'me', password: 'a:b' },
      maxBodyBytes: 1024,
      runTimeoutMs: Number.MAX_SAFE_INTEGER,
    });
    expect([...read.roles]).toEqual(['api', 'clock']);
    expect(read.masterKey).toEqual(KEY);
    expect(readSettings({ ANNALS_MASTER_KEY: KEY.toString('hex').toUpperCase() }).masterKey).toEqual(KEY);
    expect(readSettings({ OPENAI_API_KEY: 'sk-x' }).openai).toEqual({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'sk-x',
    });
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['HOST', 'a b'],
    ['DATABASE_URL', 'mysql://u:hunter2@db/x'],
    ['EVENTSTORE_URL', 'localhost:2113'],
    ['DATABASE_URL', 'postgres://u:hunter2@db:99999/x'],
    ['EVENTSTORE_URL', 'esdb://u:hunter2@one:2113,two:65536?tls=false'],
    ['EVENTSTORE_PREFIX', '$x'],
    ['KAFKA_BROKERS', 'a:9092,,b:9092'],
    ['KAFKA_BROKERS', 'a'],
    ['KAFKA_SSL', 'maybe'],
    ['KAFKA_SASL', 'plain:me'],
    ['OPENAI_BASE_URL', 'api.openai.com'],
    ['OPENAI_BASE_URL', 'ftp://x'],
    ['MODEL_BASE', 'a b'],
    ['ANNALS_ADMIN_KEY', 'fifteen-charact'],
    ['ANNALS_ADMIN_KEY', 'sixteen characters'],
    ['ANNALS_MASTER_KEY', 'hunter2'],
    ['ANNALS_MASTER_KEY', Buffer.alloc(31).toString('base64')],
    ['ANNALS_WEBHOOK_SECRET', 'whsec_aGk='],
    ['EGRESS_ALLOW', '10.0.0.0/33'],
    ['EGRESS_ALLOW', '*.internal'],
    ['EGRESS_ALLOW', 'a,,b'],
    ['EGRESS_ALLOW', '10.0.0.256'],
    ['ROLES', 'api,king'],
    ['SHUTDOWN_GRACE_S', '-1'],
    ['TAKEOVER_S', '0'],
    ['MAX_RUNS', '0'],
    ['MAX_RUNS_PER_PROJECT', '0'],
    ['MAX_QUEUED_RUNS_PER_PROJECT', '-1'],
    ['MAX_TASKS_PER_PROJECT', 'none'],
    ['MAX_STORED_MB_PER_PROJECT', '0.5'],
    ['MAX_ANSWERS_MB', '0'],
    ['RUN_TIMEOUT_S', '1.5'],
    ['MAX_STEPS', '1e3'],
    ['MAX_UPLOAD_MB', '-5'],
    ['RATE_LIMIT_RPM', 'many'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com, app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com:443'],
    ['MAX_BODY_KB', '00'],
    ['PROBE_PORT', '70000'],
    ['MAX_CONNECTIONS', '0'],
    ['MAX_CONNECTIONS_PER_ADDRESS', 'all'],
    ['PUBLIC_URL', 'annals.example.org'],
    ['PUBLIC_URL', 'https://user:hunter2@annals.example.org'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['LOG_LEVEL', 'loud'],
    ['CONTEXT_FLASH', '999'],
    ['CONTEXT_BASE', '100k'],
    ['CONTEXT_MAX', '10000001'],
    ['DOCUMENTS_MEMORY_MB', '255'],
    ['DOCUMENTS_MEMORY_MB', '1 GB'],
  ])('refuse %s=%s in one line that names it and not the value', (name, value) => {
    const refusal = refusalOf({ [name]: value });
    expect(refusal).toMatch(new RegExp(`^${name} must be [^\\n]+$`));
    if (value.length > 6) expect(refusal).not.toContain(value);
  });

  test.each([
    [{}, 'http://127.0.0.1:3000'],
    [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://localhost:8080'],
    [{ HOST: '::' }, 'http://localhost:3000'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ PUBLIC_URL: 'https://annals.example.org/agents/' }, 'https://annals.example.org/agents'],
    [{ PUBLIC_URL: 'https://annals.example.org/' }, 'https://annals.example.org'],
  ])('of %j are reached at %s', (env, publicUrl) => {
    expect(readSettings(env).publicUrl).toBe(publicUrl);
  });

  test.each([
    ['CONSOLE', 'console', 'on or off'],
    ['KAFKA_SSL', 'kafkaSsl', 'true or false'],
    ['PROOF_PUBLIC', 'isProofPublic', 'true or false'],
  ] as const)('take %s in every spelling of a flag, and say which is documented', (name, field, words) => {
    const documented = words.split(' or ');
    for (const text of ['true', 'on', 'yes', '1', 'ON', documented[0]])
      expect(readSettings({ [name]: text })[field]).toBe(true);
    for (const text of ['false', 'off', 'no', '0', 'False', documented[1]])
      expect(readSettings({ [name]: text })[field]).toBe(false);
    expect(refusalOf({ [name]: 'maybe' })).toBe(`${name} must be ${words}`);
    const row = readFileSync('docs/settings.md', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
    expect(row).toContain(documented.map((word) => `\`${word}\``).join(' or '));
  });

  test('want another port for probes', () => {
    expect(refusalOf({ PROBE_PORT: '3000' })).toBe('PROBE_PORT must be another port than PORT');
    expect(readSettings({ PROBE_PORT: '3001' }).probePort).toBe(3001);
  });

  test('ask for both keys with a log or a database of others', () => {
    expect(refusalOf({ DATABASE_URL: 'postgres://db/x' })).toMatch(/^ANNALS_ADMIN_KEY must be set/);
    const keys = { ANNALS_ADMIN_KEY: 'x'.repeat(16) };
    expect(refusalOf({ EVENTSTORE_URL: 'esdb://es:2113', ...keys })).toMatch(
      /^ANNALS_MASTER_KEY must be set/,
    );
  });
});

function refusalOf(env: Record<string, string>): string {
  try {
    readSettings(env);
    return 'nothing';
  } catch (error) {
    if (error instanceof SettingsRefused) return error.message;
    throw error;
  }
}
