import type { ServerResponse } from 'node:http';
import type { Check } from './health-checks.js';

export const ALIVE = { status: 'ok' } as const;

export interface Readiness {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, { readonly status: 'ok' | 'failing'; readonly detail?: string }>>;
}

export function readinessOf(checks: readonly Check[]): Readiness {
  const isReady = checks.every((check) => check.isOk || !check.isRequired);
  return { status: isReady ? 'ok' : 'unavailable', checks: Object.fromEntries(checks.map(described)) };
}

const described = ({ name, isOk, detail }: Check): [string, Readiness['checks'][string]] => [
  name,
  { status: isOk ? 'ok' : 'failing', ...(detail === undefined ? {} : { detail }) },
];

/** What `/readyz` says while nothing can be asked: before the log is there, and in a stop. */
export const notAsked = (ofLog: string, ofOthers: string): readonly Check[] =>
  ['log', 'database', 'projections'].map((name) => ({
    name,
    isOk: false,
    isRequired: true,
    detail: name === 'log' ? ofLog : ofOthers,
  }));

export const withoutLog = (detail: string): readonly Check[] =>
  notAsked(detail, 'opened when the log is there');

const RETRY_AFTER_S = 2;

/** An answer of a server that has no more than this to say; whoever asks again comes anew. */
export function sendPlain(response: ServerResponse, status: number, type: string, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
    ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_S) } : {}),
  });
  response.end(text);
}
