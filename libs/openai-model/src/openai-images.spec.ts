import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type RecordedRequest,
  refusal,
  say,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from '../../../test/support/scripted-model.js';
import type { ModelMessage, ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

const image = (id: string) => ({ id, mediaType: 'image/png', bytes: Buffer.from(id) });
const messages = (...ids: readonly string[]): ModelMessage[] => [
  { role: 'system', content: 's' },
  { role: 'user', content: 'look' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 't', arguments: '{}' }] },
  { role: 'tool', callId: 'a', content: '[image]' },
  { role: 'user', content: 'the images', images: ids.map(image) },
];
const request = (...ids: readonly string[]): ModelRequest => ({
  model: 'm',
  messages: messages(...ids),
  tools: [],
});

interface Part {
  readonly type: string;
  readonly image_url?: { readonly url: string };
}
type Body = RecordedRequest['body'];

/** What was shown, of each image its text; null: no image. */
const seen = ({ messages: all }: Body): string[] | null => {
  const { content } = all.at(-1) as unknown as { readonly content: string | readonly Part[] };
  if (typeof content === 'string') return null;
  return content.flatMap(({ image_url: url }) =>
    url === undefined ? [] : [Buffer.from(url.url.split(',')[1] ?? '', 'base64').toString()],
  );
};

/** What each request showed, and which images each answer did without. */
async function asked(refuses: (body: Body) => ScriptedTurn | null, ...requests: readonly ModelRequest[]) {
  const before = model.requests.length;
  model.script((body) => refuses(body) ?? say('ok'));
  const client = new OpenAiModelClient({ baseUrl: model.url, apiKey: '' });
  const unseen: (readonly string[])[] = [];
  try {
    for (const one of requests)
      for await (const pieces of client.stream(one, new AbortController().signal))
        for (const piece of pieces) if (piece.kind === 'end') unseen.push(piece.unseen ?? []);
  } finally {
    await client.close();
  }
  return { seen: model.requests.slice(before).map(({ body }) => seen(body)), unseen };
}

describe('images', () => {
  it('go as parts of their message, behind its text', async () => {
    const { seen: shown, unseen } = await asked(() => null, request('one', 'two'));
    expect([shown, unseen]).toEqual([[['one', 'two']], [[]]]);
    expect(model.requests.at(-1)?.body.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'the images' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,b25l' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,dHdv' } },
      ],
    });
  });

  it.each([
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [400, 'Failed to deserialize the JSON body: messages[4]: unknown variant `image_url`, expected `text`'],
    [400, 'messages[4].content must be a string'],
    [422, 'Input should be a valid string: body.messages.4.content.str'],
    [400, 'llama3 is not a multimodal model'],
    [404, 'No endpoints found that support image input'],
    [400, 'Image input is not enabled for this model'],
    [500, 'image input is not supported - hint: you may need to provide the mmproj'],
  ])('are not sent any more to a model that takes none: %i %s', async (status, words) => {
    const refuses = (body: Body) => (seen(body) === null ? null : refusal(status, words));
    const { seen: shown, unseen } = await asked(refuses, request('one'), request('two'));
    expect(shown).toEqual([['one'], null, null]);
    expect(unseen).toEqual([['one'], ['two']]);
  });

  it.each([
    [400, 'Could not process image'],
    [
      400,
      'messages.4.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    ],
    [400, 'You uploaded an unsupported image. Please make sure your image is valid.'],
    [400, 'At most 1 image(s) may be provided in one request.'],
  ])('that were not taken are left out alone: %i %s', async (status, words) => {
    const refuses = (body: Body) => (seen(body)?.includes('bad') ? refusal(status, words) : null);
    const { seen: shown, unseen } = await asked(refuses, request('bad'), request('bad', 'good'));
    expect(shown).toEqual([['bad'], null, ['good']]);
    expect(unseen).toEqual([['bad'], ['bad']]);
  });
});
