import { createHmac, createSecretKey } from 'node:crypto';

/**
 * The `webhook-signature` of a message (Standard Webhooks, https://www.standardwebhooks.com: symmetric signatures).
 * @param secret `whsec_` and base64
 * @param timestamp seconds since 1970
 */
export function webhookSignature(secret: string, id: string, timestamp: number, body: string): string {
  // Node 24 takes 10 µs longer for a key that is bytes.
  const key = createSecretKey(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return `v1,${mac}`;
}
