import { expect, test } from '@jest/globals';
import { firstTokenMs, isUnderWay, tookMs, waitedMs } from './run-times.js';

const NOW = Date.parse('2026-11-26T14:08:20.000Z');
const asked = '2026-11-26T14:08:00.000Z';
const begun = '2026-11-26T14:08:00.250Z';
const ended = '2026-11-26T14:08:14.250Z';

test('an ended run has waited and taken what its times say', () => {
  const run = { status: 'completed', created_at: asked, started_at: begun, ended_at: ended } as const;
  expect([waitedMs(run, NOW), tookMs(run, NOW), isUnderWay(run)]).toEqual([250, 14_000, false]);
});

test('a run under way takes until now', () => {
  const run = { status: 'waiting', created_at: asked, started_at: begun, ended_at: null } as const;
  expect([waitedMs(run, NOW), tookMs(run, NOW), isUnderWay(run)]).toEqual([250, 19_750, true]);
});

test('a queued run waits until now; one that ended unbegun has waited for nothing', () => {
  const queued = { status: 'queued', created_at: asked, started_at: null, ended_at: null } as const;
  expect([waitedMs(queued, NOW), tookMs(queued, NOW)]).toEqual([20_000, null]);
  expect(waitedMs({ ...queued, status: 'cancelled', ended_at: ended }, NOW)).toBeNull();
});

test('a browser whose clock is behind shows no negative times', () => {
  const run = { status: 'running', created_at: asked, started_at: begun, ended_at: null } as const;
  expect(tookMs(run, Date.parse(asked))).toBe(0);
});

test('the first token is counted from the beginning, and is none where nothing was said', () => {
  expect(firstTokenMs({ started_at: begun, first_token_at: '2026-11-26T14:08:01.500Z' })).toBe(1_250);
  expect(firstTokenMs({ started_at: begun, first_token_at: null })).toBeNull();
  expect(firstTokenMs({ started_at: null, first_token_at: null })).toBeNull();
});
