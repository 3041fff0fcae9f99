import { describe, expect, test } from '@jest/globals';
import { SecretBox, SystemRandom } from '#platform';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import type { KeyRecord } from '../api-keys/key-table.js';
import { reaches } from '../api-keys/principal.js';
import { SessionTokens } from './session-tokens.js';

const NOW = 1_000_000;
const KEY: KeyRecord = {
  id: 'key_1',
  name: 'web',
  hash: 'h1',
  scopes: ['run', 'read'],
  project: 'shop',
  webhookSecret: '',
  createdAt: 0,
  expiresAt: null,
};
const WISH = { session: 'ses_a', scopes: ['read'] as const, lifeMs: 60_000 };

function house({ master = 1, clock = new ManualClock(NOW) } = {}) {
  const box = new SecretBox(Buffer.alloc(32, master));
  const known: { key: KeyRecord | null } = { key: KEY };
  const tokens = new SessionTokens({ box, clock, random: new SystemRandom() }, () => known.key);
  return { tokens, clock, known };
}

describe('a token', () => {
  test('is its key, with less, on every replica, until it ends', () => {
    const { tokens, clock } = house();
    const { token } = tokens.issue(KEY, WISH);
    for (const some of [tokens, house({ clock }).tokens])
      expect(some.find(token)).toEqual({
        keyId: 'key_1',
        project: 'shop',
        scopes: new Set(['read']),
        isRoot: false,
        expiresAt: NOW + 60_000,
        reach: { token: expect.stringMatching(/^[0-9a-f]{16}$/), session: 'ses_a' },
      });
    clock.advance(59_999);
    expect(tokens.find(token)).not.toBeNull();
    clock.advance(1);
    expect(tokens.find(token)).toBeNull();
  });

  test('ends with its key, and is worth nothing under another one of its id or another master key', () => {
    const { tokens, known } = house();
    const { token } = tokens.issue(KEY, WISH);
    known.key = { ...KEY, expiresAt: NOW + 1 };
    expect(tokens.find(token)?.expiresAt).toBe(NOW + 1);
    for (const key of [null, { ...KEY, hash: 'h2' }, { ...KEY, expiresAt: NOW }]) {
      known.key = key;
      expect(tokens.find(token)).toBeNull();
    }
    expect(house({ master: 2 }).tokens.find(token)).toBeNull();
  });

  test('is refused when a single character of it is another', () => {
    const { tokens } = house();
    const { token } = tokens.issue(KEY, { ...WISH, session: null });
    for (let at = 0; at < token.length - 1; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      expect([at, tokens.find(token.slice(0, at) + other + token.slice(at + 1))]).toEqual([at, null]);
    }
    for (const text of [
      '',
      'annals_tok_',
      'annals_tok_.',
      'annals_tok_e30.',
      'annals_tok_bnVsbA.AA',
      token.slice(0, -2),
    ])
      expect(tokens.find(text)).toBeNull();
  });
});

describe('what a principal reaches', () => {
  const reachOf = (session: string | null, token = 'aa') => ({ reach: { token, session } });
  test.each([
    [{}, 'ses_x', true],
    [reachOf('ses_a'), 'ses_a', true],
    [reachOf('ses_a'), 'ses_ab', false],
    [reachOf(null), 'ses_taa01', true],
    [reachOf(null), 'ses_tab01', false],
    [reachOf(null), 'ses_aa01', false],
  ])('%j: %s: %s', (principal, session, isReached) => {
    expect(reaches(principal, session)).toBe(isReached);
  });
});
