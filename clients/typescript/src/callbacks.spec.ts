import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyCallback } from './callbacks.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const BODY = '{"type":"agent_response","session":"ses_1","content":"6 × 7 = 42 🚀"}';
const NOW = 1_700_000_000;

function headersOf(secret = SECRET, { at = NOW, body = BODY } = {}): Record<string, string> {
  return {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(at),
    // The published library signs: what we take is what others make.
    'webhook-signature': new Webhook(secret).sign('dlv_1', new Date(at * 1000), body),
    'annals-run': 'run_1',
    'annals-sequence': '3',
  };
}
const now = NOW * 1000;

describe('verifyCallback', () => {
  it('gives what was signed, from text and from bytes, from an object and from Headers', async () => {
    const expected = { id: 'dlv_1', run: 'run_1', sequence: 3, event: JSON.parse(BODY) as object };
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [BODY, bytes])
      for (const headers of [headersOf(), new Headers(headersOf())])
        expect(await verifyCallback(SECRET, headers, body, { now })).toEqual(expected);
  });

  it('takes any of several signatures', async () => {
    const headers = headersOf();
    headers['webhook-signature'] =
      `v1a,xx v1,!! ${headersOf(OTHER)['webhook-signature']} ${headers['webhook-signature']}`;
    expect((await verifyCallback(SECRET, headers, BODY, { now })).sequence).toBe(3);
  });

  it.each([
    ['another body', headersOf(), `${BODY} `, now],
    ['another secret', headersOf(OTHER), BODY, now],
    ['another id', { ...headersOf(), 'webhook-id': 'dlv_2' }, BODY, now],
    ['another time', { ...headersOf(), 'webhook-timestamp': String(NOW + 1) }, BODY, now],
    ['a time that is no number', { ...headersOf(), 'webhook-timestamp': 'now' }, BODY, now],
    ['no signature', { ...headersOf(), 'webhook-signature': '' }, BODY, now],
    ['one that came too late', headersOf(), BODY, now + 301_000],
    ['one from the future', headersOf(), BODY, now - 301_000],
  ])('refuses %s', async (_, headers, body, at) => {
    await expect(verifyCallback(SECRET, headers, body, { now: at })).rejects.toMatchObject({
      name: 'CallbackRefused',
    });
  });

  it('says that a secret is none', async () => {
    await expect(verifyCallback('whsec_', headersOf(), BODY, { now })).rejects.toThrow('the secret is not');
  });
});
