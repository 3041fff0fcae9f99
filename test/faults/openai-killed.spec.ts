import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Gate, call, say } from '../support/scripted-turn.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

/** What came of a stream, until it was cut off. */
interface Cut {
  readonly text: () => string;
  readonly id: () => string;
}

function begin(body: object): Cut {
  let text = '';
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
  const asked = request(`${stage.service.origin}/v1/responses`, { method: 'POST', headers }, (answer) => {
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    answer.on('error', () => undefined);
  });
  asked.on('error', () => undefined);
  asked.end(JSON.stringify({ ...body, stream: true }));
  return { text: () => text, id: () => /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '' };
}

const recordsOf = (text: string): string[] => text.split('\n\n').filter((record) => record !== '');

async function followed(id: string, after?: number): Promise<string> {
  const more = after === undefined ? '' : `&starting_after=${after}`;
  return (await stage.client.get(`/v1/responses/${id}?stream=true${more}`)).text;
}

it('a stream that was cut by the end of the process goes on in the same bytes, from any record', async () => {
  const gate = new Gate();
  let tries = 0;
  const message = stage.book.on(stage.message('killed'), () =>
    tries++ === 0 ? say('Hel', { kind: 'gate', gate }, 'lo') : say('Hello', ' again'),
  );
  const cut = begin({ input: message });
  await gate.reached;
  await until(() => cut.text().includes('"delta":"Hel"'));
  await stage.service.restart();
  const whole = await followed(cut.id());
  const seen = recordsOf(cut.text());
  expect(recordsOf(whole).slice(0, seen.length)).toEqual(seen);
  const records = recordsOf(whole);
  expect(records.at(-1)).toBe('data: [DONE]');
  const numbers = records.slice(0, -1).map((record) => Number(/"sequence_number":(\d+)/.exec(record)?.[1]));
  expect(numbers).toEqual(numbers.map((_, at) => at));
  for (const after of numbers) {
    const rest = `${records.slice(after + 1).join('\n\n')}\n\n`;
    expect(await followed(cut.id(), after)).toBe(rest);
  }
  // What the turn had said that was taken again is not in the end.
  const response = (await stage.client.get(`/v1/responses/${cut.id()}`)).json<{ output: unknown[] }>();
  expect(response.output).toMatchObject([{ status: 'completed', content: [{ text: 'Hello again' }] }]);
  gate.open();
});

it('a response that waits is answered after the process has died', async () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const message = stage.book.on(stage.message('waits'), say(...call(0, 'c', 'f', {})), say('done'));
  const first = await stage.client.post('/v1/responses', { input: message, tools });
  const { id, output } = first.json<{ id: string; output: { call_id: string }[] }>();
  await stage.service.restart();
  const answer = { type: 'function_call_output', call_id: output[0]?.call_id, output: '1' };
  const body = { previous_response_id: id, tools, input: [answer] };
  const second = await stage.client.post('/v1/responses', body);
  expect(second.json()).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'done' }] }] });
  const again = await stage.client.post('/v1/responses', body);
  expect(again.text.trim()).toBe(second.text.trim());
});

it('what is not to be stored is erased by the next process, where the first could not', async () => {
  const gate = new Gate();
  let tries = 0;
  const message = stage.book.on(stage.message('unstored'), () =>
    tries++ === 0 ? say('a', { kind: 'gate', gate }) : say('b'),
  );
  const cut = begin({ input: message, store: false });
  await gate.reached;
  await until(() => cut.id() !== '');
  await stage.service.restart();
  const session = cut.id().replace(/^resp_(\w+)_\w+_1$/, 'ses_$1');
  await until(async () => (await stage.client.get(`/sessions/${session}`)).status === 404);
  gate.open();
});

it('a repeat finds the run that a process has started that is gone', async () => {
  const message = stage.book.on(stage.message('repeated'), say('once'));
  const first = await stage.client.post('/v1/responses', { input: message });
  await stage.service.restart();
  const again = await stage.client.post(
    '/v1/responses',
    { input: message },
    { headers: { 'x-stainless-retry-count': '1' } },
  );
  expect(again.text.trim()).toBe(first.text.trim());
});
