// Brings questions of agents to a chat, and the answers back. Needs nothing but Node.js 24 or later.
//   ANNALS_URL=http://localhost:3000 ANNALS_KEY=annals_… WEBHOOK_SECRET=whsec_… PORT=4200 node docs/examples/approval-chat.ts
// ANNALS_KEY: a key with the scope `approve`. WEBHOOK_SECRET: that of the key which starts the runs.
// CHAT_URL: an incoming webhook that takes {"text": "…"}, as Slack's, Mattermost's and others' do; absent: it prints.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const { ANNALS_URL, ANNALS_KEY, WEBHOOK_SECRET = '', CHAT_URL, PORT = '4200' } = process.env;
const secret = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (secret.length === 0) throw new Error('WEBHOOK_SECRET must be whsec_ and base64');
/** Signs the links: who has not seen the message in the chat cannot guess them. */
const linkKey = randomBytes(32);

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const expected = hmac(secret, `${String(id)}.${String(time)}.${body}`);
  return String(signatures)
    .split(' ')
    .some((one) => one.startsWith('v1,') && isSame(Buffer.from(one.slice(3), 'base64'), expected));
}

async function tell(text: string): Promise<void> {
  if (CHAT_URL === undefined) return console.log(text);
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  };
  const answer = await fetch(CHAT_URL, init);
  if (!answer.ok) throw new Error(`the chat answered ${answer.status}`);
}

/** Chats open links to show what is behind them: a GET only shows the question, the buttons decide. */
const page = (action: string): string =>
  `<!doctype html><title>${action}</title><form method="post">` +
  '<button name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></form>';

async function decide(action: string, decision: string): Promise<string> {
  const answer = await fetch(`${ANNALS_URL}/actions/${action}/resolve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ANNALS_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });
  const said = (await answer.json()) as { readonly detail?: string };
  return answer.ok ? `${decision}: ${action}` : `not decided: ${said.detail}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part as string;
  return body;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, path, action = '', sign = ''] = (request.url ?? '').split('/');
  const body = await bodyOf(request);
  if (path === 'actions') {
    if (!isSame(Buffer.from(sign, 'base64url'), hmac(linkKey, action)))
      return void response.writeHead(404).end();
    if (request.method !== 'POST')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end(page(action));
    return void response.end(await decide(action, new URLSearchParams(body).get('decision') ?? ''));
  }
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  const event = JSON.parse(body) as { type: string; kind: string; action_id: string; content: string };
  if (event.type === 'agent_action_required' && event.kind === 'approval') {
    const { tool, input } = JSON.parse(event.content) as { tool: string; input: unknown };
    const link = `${origin()}/actions/${event.action_id}/${hmac(linkKey, event.action_id).toString('base64url')}`;
    await tell(`May the agent call ${tool} with ${JSON.stringify(input)}? ${link}`);
  }
  response.writeHead(204).end();
}

// What is not answered with 2xx is sent again by the service.
const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => response.writeHead(502).end(`${String(error)}\n`));
});
const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening at ${origin()}/`));
