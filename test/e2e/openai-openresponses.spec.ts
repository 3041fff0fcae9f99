import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { call, say } from '../support/scripted-turn.js';
import { Stage } from '../support/stage.js';

/** What is asked of a server of Open Responses (2026-04-24): the cases of its runner, in words of our own. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

/** Fields of a response, all of which are there; `null` where there is nothing to say. */
const FIELDS = `
  id object created_at completed_at status background error incomplete_details instructions
  max_output_tokens max_tool_calls model conversation output parallel_tool_calls previous_response_id
  prompt_cache_key reasoning safety_identifier service_tier store temperature text tool_choice
  tools top_logprobs top_p presence_penalty frequency_penalty truncation usage user
  metadata`
  .trim()
  .split(/\s+/);
const NUMBERS = [
  'created_at',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
];

interface Answered {
  readonly response: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly type: string; readonly item?: { readonly type: string } }[];
}

const message = (role: string, content: unknown) => ({ type: 'message', role, content });
const said = (name: string) => stage.book.on(stage.message(name), say('One', ' two.'));
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather at a place',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
const asksForWeather = (name: string) =>
  stage.book.on(stage.message(name), say(...call(0, 'c0', 'get_weather', { place: 'Rome' })));

async function asked(body: object, stream: boolean): Promise<Answered> {
  const answer = await stage.client.post('/v1/responses', { model: 'base', ...body, stream });
  expect(answer.status).toBe(200);
  if (!stream) return { response: answer.json(), events: [] };
  const records = answer.text.split('\n\n').filter((record) => record !== '');
  expect(records.pop()).toBe('data: [DONE]');
  const events = records.map((record) => {
    const [, type, json] = /^event: (.*)\ndata: (.*)$/.exec(record) ?? [];
    const event = JSON.parse(json ?? '') as Answered['events'][number];
    expect(event.type).toBe(type);
    return event;
  });
  return { response: (events.at(-1) as unknown as { response: Answered['response'] }).response, events };
}

it.each<[string, () => object, boolean, string]>([
  ['a plain message', () => ({ input: [message('user', said('plain'))] }), false, 'message'],
  ['a streamed answer', () => ({ input: [message('user', said('stream'))] }), true, 'message'],
  [
    'a system message',
    () => ({ input: [message('system', 'Speak like a sailor.'), message('user', said('system'))] }),
    false,
    'message',
  ],
  [
    'a call of a function',
    () => ({ input: [message('user', asksForWeather('call'))], tools: [weather] }),
    false,
    'function_call',
  ],
  [
    'a streamed call',
    () => ({ input: [message('user', asksForWeather('streamed call'))], tools: [weather] }),
    true,
    'function_call',
  ],
  [
    'an image',
    () => ({
      input: [
        message('user', [
          { type: 'input_text', text: said('image') },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
        ]),
      ],
    }),
    false,
    'message',
  ],
  [
    'a talk of several turns',
    () => ({
      input: [
        message('user', 'I am Ann.'),
        message('assistant', 'Hello Ann.'),
        message('user', said('talk')),
      ],
    }),
    false,
    'message',
  ],
])('%s is answered as the specification says', async (_, body, stream, type) => {
  const { response, events } = await asked(body(), stream);
  expect(Object.keys(response)).toEqual(FIELDS);
  for (const name of NUMBERS) expect(typeof response[name]).toBe('number');
  expect(response).toMatchObject({ object: 'response', status: 'completed', error: null });
  const output = response['output'] as { readonly type: string }[];
  expect(output.map((item) => item.type)).toEqual([type]);
  if (!stream) return;
  const types = events.map((event) => event.type);
  expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
  expect(types.at(-1)).toBe('response.completed');
  const deltas = type === 'message' ? 'output_text' : 'function_call_arguments';
  const order = ['output_item.added', `${deltas}.delta`, `${deltas}.done`, 'output_item.done'];
  const places = order.map((name) => types.indexOf(`response.${name}`));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places.every((place) => place > 1)).toBe(true);
});
