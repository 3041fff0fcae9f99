import { CallbackRefused } from './errors.js';
import type { StreamEvent } from './types.js';

/** Of a request: a `Headers`, or the plain object that Node gives. */
export type CallbackHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Callback {
  /** The same in every attempt and resend. */
  readonly id: string;
  readonly run: string;
  /** 1, 2, 3 … within the run: what is not above the last one that was taken comes again. */
  readonly sequence: number;
  readonly event: StreamEvent;
}

export interface VerifyOptions {
  /** How far its time may be from ours. Default: five minutes. */
  readonly toleranceS?: number;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/**
 * What a callback says, once its signature is found to be the service's (Standard Webhooks, https://www.standardwebhooks.com).
 * @param secret the key's `webhook_secret`: `whsec_` and base64
 * @param body as it came, before it is parsed
 * @throws CallbackRefused
 */
export async function verifyCallback(
  secret: string,
  headers: CallbackHeaders,
  body: string | Uint8Array,
  { toleranceS = 300, now = Date.now() }: VerifyOptions = {},
): Promise<Callback> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new CallbackRefused('webhook-timestamp is not a number of seconds');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceS)
    throw new CallbackRefused(`it was sent more than ${toleranceS} s before or after now`);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(secret, signed, headerOf(headers, 'webhook-signature'))))
    throw new CallbackRefused('no signature is of this secret and this body');
  const sequence = Number(headerOf(headers, 'annals-sequence'));
  return { id, run: headerOf(headers, 'annals-run'), sequence, event: JSON.parse(text) as StreamEvent };
}

/** Of several signatures (a secret that is being changed) one is enough. Compared by the platform, in constant time. */
async function isSigned(
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0) throw new TypeError('the secret is not whsec_ and base64');
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const one of signatures.split(' ')) {
    const mac = one.startsWith('v1,') ? bytesOf(one.slice('v1,'.length)) : null;
    if (mac !== null && (await crypto.subtle.verify('HMAC', key, mac, signed))) return true;
  }
  return false;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

function headerOf(headers: CallbackHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  const text = typeof value === 'object' ? value?.[0] : value;
  if (text === undefined || text === '') throw new CallbackRefused(`${name} is missing`);
  return text;
}
