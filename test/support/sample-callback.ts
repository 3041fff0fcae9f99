import { webhookSignature } from '#delivery';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** A callback as the service sends it now: of the event 1 of `run_1`, signed. */
export function sampleCallback() {
  const body = '{"type":"agent_started","session":"ses_1"}';
  const at = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(at),
    'webhook-signature': webhookSignature(WEBHOOK_SECRET, 'dlv_1', at, body),
    'annals-run': 'run_1',
    'annals-sequence': '1',
  };
  return { headers, body };
}
