// Calls the service through the types that openapi-typescript makes of docs/openapi.json: prints what came of it.
import createClient from 'openapi-fetch';
import type { paths } from './made/schema.js';

const client = createClient<paths>({
  baseUrl: process.env['ANNALS_URL']!,
  headers: { authorization: `Bearer ${process.env['ANNALS_KEY']!}`, accept: 'application/json' },
});

// A message is all that a request needs.
const { data: ended } = await client.POST('/', { body: { message: 'What is 6 x 7?' } });
// These types know no Accept: what could have been a stream is a text.
if (typeof ended !== 'object' || !('response' in ended)) throw new Error('it was answered before it ended');
console.log(JSON.stringify(['ended', ended.status, ended.response]));
const { data: page } = await client.GET('/runs/{run_id}/events', {
  params: { path: { run_id: ended.run_id } },
});
if (typeof page !== 'object') throw new Error('it was answered as a stream');
const texts = page.items.flatMap(({ data }) =>
  data.type === 'agent_response' && 'content' in data ? [data.content] : [],
);
console.log(JSON.stringify(['text', texts]));
