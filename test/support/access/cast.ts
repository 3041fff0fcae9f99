import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { McpFixture } from '../mcp-servers/mcp-fixture.js';
import { call, say } from '../scripted-model.js';
import type { ServiceClient } from '../service-client.js';
import type { Stage } from '../stage.js';

/** One of everything that a project may own, made by a key of it. */
export interface Belongings {
  /** By the names that `/openapi.json` gives the parameters of its paths: `id` means what the path begins with. */
  readonly ids: Readonly<Record<string, string>>;
  /** Texts of its making and ids: what no one else may be shown. */
  readonly marks: readonly string[];
}

/** Whose things are made, and how. */
export interface Maker {
  readonly stage: Stage;
  /** A key that may do everything. */
  readonly owner: ServiceClient;
  /** Where callbacks go. */
  readonly hook: string;
}

/** Makes one of everything. @param mark a word that is in everything */
export async function makeBelongings({ stage, owner, hook }: Maker, mark: string): Promise<Belongings> {
  const datastore = await madeId(owner, '/create-datastore', { name: `${mark} store`, type: 'documents' });
  const document = await upload(owner, datastore, mark);
  const key = (await owner.post('/api-keys', { name: `${mark} key`, scopes: ['read'] })).json();
  const shows = say(...call(0, 'p', 'picture', {}));
  const message = stage.book.on(stage.message(`${mark} message`), shows, say(`${mark} answer`));
  const pictures = await McpFixture.start({ tools: [{ name: 'picture', run: picture }] });
  const schedules = [{ schedule: '0 9 * * 1-5', message: `${mark} scheduled` }];
  const workflow = { id: 'w', name: `${mark} flow`, description: 'd', steps: [STEP] };
  const ended = await owner.runToEnd(
    {
      message,
      schedules,
      workflows: [workflow],
      datastores: [{ id: datastore, name: 'books' }],
      mcp_servers: [{ serverName: 'pictures', serverUrl: pictures.url }],
      callback: { url: hook },
    },
    { headers: { 'idempotency-key': `${mark} once` } },
  );
  await pictures.close();
  const budget = await owner.call('PUT', `/budgets/key/${String(key['id'])}`, {
    body: { limit: '5', period: 'day' },
  });
  if (budget.status !== 200) throw new Error(budget.text);
  const [file] = await owner.all<{ file_id: string }>(`/runs/${ended.run_id}/files`);
  const delivery = await firstDelivery(owner, ended.run_id);
  const action = await waitingAction(stage, owner, mark);
  const ids = {
    // What everybody may name.
    file: 'swagger-ui.css',
    revision: '0',
    session: ended.session,
    run_id: ended.run_id,
    broken_run: await brokenRun(stage, owner, mark),
    other_run_id: ended.run_id,
    task_id: ended.task_ids[0] ?? '',
    delivery_id: delivery,
    file_id: file?.file_id ?? '',
    datastores: datastore,
    documents: document,
    actions: action,
    'api-keys': String(key['id']),
    budgets: String(key['id']),
  };
  return {
    ids,
    marks: [mark, ...Object.values(ids).slice(2), String(key['key']), String(key['webhook_secret'])],
  };
}

const picture = (): CallToolResult => ({
  content: [{ type: 'image', data: Buffer.from('picture').toString('base64'), mimeType: 'image/png' }],
});

const STEP = { id: 's', name: 's', description: 'd', depends_on: [] };

/** `/datastores/{id}/search` with the ids of these things. */
export function placed(path: string, { ids }: Belongings): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'scope') return 'key';
    // What has completed is not retried.
    const own = path.endsWith('/retry') ? 'broken_run' : name;
    const id = ids[name === 'id' ? (path.split('/')[1] ?? '') : own];
    if (id === undefined) throw new Error(`${path}: makeBelongings makes nothing with a ${name}; let it`);
    return encodeURIComponent(id);
  });
}

async function madeId(owner: ServiceClient, path: string, body: object): Promise<string> {
  const answer = await owner.post(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.json()['datastore_id']);
}

/** A run that was cancelled while it waited. */
async function brokenRun(stage: Stage, owner: ServiceClient, mark: string): Promise<string> {
  const { run_id: run } = await waitingRun(stage, owner, mark);
  await owner.post(`/runs/${run}/cancel`);
  return run;
}

/** A call of the caller's own tool, which nobody has answered. */
async function waitingAction(stage: Stage, owner: ServiceClient, mark: string): Promise<string> {
  const { actions } = await waitingRun(stage, owner, mark);
  return actions[0]?.action_id ?? '';
}

interface WaitingRun {
  readonly run_id: string;
  readonly actions: readonly { readonly action_id: string }[];
}

async function waitingRun(stage: Stage, owner: ServiceClient, mark: string): Promise<WaitingRun> {
  const asks = say(...call(0, 'c', 'look_up', { word: mark }));
  const message = stage.book.on(stage.message(`${mark} question`), asks, say('done'));
  const tools = [{ name: 'look_up', description: mark, parameters: { type: 'object' } }];
  const headers = { accept: 'application/json' };
  return (await owner.post('/', { message, tools }, { headers })).json<WaitingRun>();
}

const BOUNDARY = 'part-of-an-upload';

/** The body and the content type of `POST /index-document`. */
export const uploadOf = (
  datastore: string,
  text: string,
): { body: string; headers: Record<string, string> } => ({
  body: [
    `--${BOUNDARY}`,
    'content-disposition: form-data; name="datastore_id"',
    '',
    datastore,
    `--${BOUNDARY}`,
    `content-disposition: form-data; name="file"; filename="${text.replaceAll(' ', '-')}.txt"`,
    '',
    `${text} in a document`,
    `--${BOUNDARY}--`,
    '',
  ].join('\r\n'),
  headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
});

async function upload(owner: ServiceClient, datastore: string, mark: string): Promise<string> {
  const answer = await owner.call('POST', '/index-document', uploadOf(datastore, mark));
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.json()['document_id']);
}

/** The first of a run's deliveries, when all of them have been made: from then on nothing changes any more. */
async function firstDelivery(owner: ServiceClient, run: string): Promise<string> {
  for (const late = performance.now() + 20_000; performance.now() < late; await sleep(20)) {
    const items = await owner.all<{ delivery_id: string; type: string; status: string }>(
      `/runs/${run}/deliveries`,
    );
    const isOver = items.some(({ type }) => type === 'agent_completed');
    const [first] = items;
    if (first !== undefined && isOver && items.every(({ status }) => status === 'delivered'))
      return first.delivery_id;
  }
  throw new Error(`the deliveries of ${run} are not made`);
}
