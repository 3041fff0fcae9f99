// Calls the service with the client that @hey-api/openapi-ts makes of docs/openapi.json: prints what came of it.
import { client } from './made/client.gen.js';
import * as annals from './made/sdk.gen.js';
import type { StreamEvent } from './made/types.gen.js';

client.setConfig({ baseUrl: process.env['ANNALS_URL']!, auth: process.env['ANNALS_KEY']! });
const json = { headers: { accept: 'application/json' }, throwOnError: true } as const;
const say = (...words: readonly unknown[]): void => console.log(JSON.stringify(words));

// A message is all that a request needs.
const started = await annals.run({ ...json, body: { message: 'What is 6 x 7?' } });
const ended = started.data;
if (!('response' in ended)) throw new Error('it was answered before it ended');
say('ended', ended.status, ended.response);
const { data: run } = await annals.getRun({ ...json, path: { run_id: ended.run_id } });
say('run', run.status, run.error, run.usage.output_tokens > 0);
const { data: page } = await annals.followRun({ ...json, path: { run_id: ended.run_id } });
const textOf = (event: StreamEvent): string[] =>
  event.type === 'agent_response' && 'content' in event ? [event.content] : [];
say(
  'text',
  page?.items.flatMap(({ data }) => textOf(data)),
);
const { data: messages } = await annals.listMessages({ ...json, path: { session: ended.session } });
say(
  'messages',
  messages.items.map(({ type, content }) => [type, content]),
);
const { data: accepted } = await annals.run({ ...json, body: { message: 'Hello', background: true } });
say('accepted', accepted.status);
const { data: store } = await annals.createDatastore({ ...json, body: { name: 'Notes', type: 'documents' } });
const file = new File(['The filter is changed every month.'], 'notes.txt');
const { data: document } = await annals.indexDocument({
  ...json,
  body: { file, datastore_id: store.datastore_id },
});
say('document', document.status);
const refused = await annals.getRun({ path: { run_id: 'run_none' } });
say('refused', refused.response?.status, refused.error?.code);
