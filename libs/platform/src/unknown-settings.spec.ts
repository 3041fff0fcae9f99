import { expect, test } from '@jest/globals';
import { misspelledSettings } from './unknown-settings.js';

test.each([
  ['MAX_RUN', 'MAX_RUNS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['log_level', 'LOG_LEVEL'],
  ['EGRESS_ALLOWED', 'EGRESS_ALLOW'],
  ['OPENAI_BASEURL', 'OPENAI_BASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['RUN_TIMEOUT', 'RUN_TIMEOUT_S'],
  ['KAFKA_BROKER', 'KAFKA_BROKERS'],
  ['ANNALS_ADMINKEY', 'ANNALS_ADMIN_KEY'],
  ['host', 'HOST'],
])('%s is told from %s', (name, meant) => {
  expect(misspelledSettings({ [name]: 'x' })).toEqual([{ name, meant }]);
});

test('settings, what others read, and what is set to nothing are left alone', () => {
  const env = {
    MAX_RUNS: '5',
    LOG_LEVEL: 'info',
    ANNALS_KEY: 'annals_key_of_the_shell',
    ANNALS_URL: 'http://localhost:3000',
    ENV_FILE: '.env',
    MAX_RUN: ' ',
  };
  expect(misspelledSettings(env)).toEqual([]);
  const foreign =
    'HOSTNAME POST PORTS PATH HOME USER SHELL TERM LANG NODE_ENV NODE_OPTIONS LOGNAME MAIL PWD OLDPWD';
  const others =
    'HISTSIZE SSH_AUTH_SOCK OTEL_SERVICE_NAME OPENAI_ORG_ID PGHOST KUBERNETES_SERVICE_HOST ANNALS_PORT';
  const set = Object.fromEntries(`${foreign} ${others}`.split(' ').map((name) => [name, 'x']));
  expect(misspelledSettings(set)).toEqual([]);
});
