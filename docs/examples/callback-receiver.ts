// Receives callbacks, checks their signatures, drops what it has already. Needs nothing but Node.js 24 or later.
//   WEBHOOK_SECRET=whsec_… PORT=4000 node docs/examples/callback-receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const MAX_AGE_S = 300;
const key = Buffer.from((process.env['WEBHOOK_SECRET'] ?? '').replace(/^whsec_/, ''), 'base64');
if (key.length === 0) throw new Error('WEBHOOK_SECRET must be whsec_ and base64');

/** Of each run the highest `annals-sequence` that was taken. Keep it where you keep the events: it must outlive you. */
const taken = new Map<string, number>();

/** Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`; the header may hold several signatures, one for each secret. */
function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (typeof signatures !== 'string' || !(age <= MAX_AGE_S)) return false;
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.${body}`)
    .digest();
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part as string;
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  const run = String(request.headers['annals-run']);
  const sequence = Number(request.headers['annals-sequence']);
  if (sequence > (taken.get(run) ?? 0)) {
    taken.set(run, sequence);
    const event = JSON.parse(body) as { readonly type: string; readonly content?: string };
    console.log(`${run} ${sequence} ${event.type} ${event.content ?? ''}`.trimEnd());
  }
  response.writeHead(204).end();
}

// Of a request that breaks off, as where the service dies in the middle of it, nothing is taken: it comes again.
const server = createServer((request, response) => {
  take(request, response).catch(() => response.destroy());
});
server.listen(Number(process.env['PORT'] ?? 4000), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
