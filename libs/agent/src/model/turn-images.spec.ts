import { describe, expect, it } from '@jest/globals';
import { type ContextMessage, type ResultFile, toolMessage } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { done, toolCall } from '../../../../test/support/scripted-client.js';
import { turnOf } from '../../../../test/support/turn-of.js';
import { imagesOf } from './turn-images.js';

const MEGABYTE = 1024 * 1024;
const image = (n: number, bytes = 10): ResultFile => ({
  id: `file_${n}`,
  file: { $file: `f${n}`, bytes },
  media_type: 'image/png',
  tool: 't',
});
const ask = (...ids: readonly string[]): ContextMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => toolCall(id, 't', {})),
});
const shown = (messages: readonly ContextMessage[]) =>
  [...imagesOf(messages).behind].map(([at, images]) => [at, images.map(({ id }) => id).join(' ')]);

describe('the images of a request', () => {
  it('stand behind the last result of their turn, each once', () => {
    const messages = [
      { role: 'user' as const, content: 'u' },
      ask('a', 'b', 'c'),
      toolMessage('a', 'x', [image(1), image(2)]),
      toolMessage('b', 'x'),
      toolMessage('c', 'x', [image(2), image(3)]),
      ask('d'),
      toolMessage('d', 'x', [image(1)]),
    ];
    expect(shown(messages)).toEqual([
      [4, 'file_1 file_2 file_3'],
      [6, 'file_1'],
    ]);
    expect(imagesOf(messages).bytes).toBe(40);
  });

  it('are ten of a turn at most, and 20 MB of the newest turns', () => {
    const many = Array.from({ length: 12 }, (_, n) => image(n, MEGABYTE));
    const turns = [toolMessage('a', 'x', many), ask('b'), toolMessage('b', 'x', many), ask('c')];
    const eleven = many.slice(0, 10).map(({ id }) => id);
    expect(shown(turns).map(([, ids]) => String(ids).split(' '))).toEqual([eleven, eleven]);
    const more = [...turns, toolMessage('c', 'x', [image(1)])];
    expect(shown(more).map(([at]) => at)).toEqual([2, 4]);
  });

  it('are read from the files of the session for each request; what is not there any more is left out', async () => {
    const contents = new ContentStore(new MemoryFileStore());
    const bytes = Buffer.from('a picture');
    const file = await contents.bytesToFile('ses_1', bytes);
    const there: ResultFile = { ...image(1), file };
    const messages = [
      { role: 'user' as const, content: 'u' },
      ask('a'),
      toolMessage('a', 'x', [image(9), there]),
      ask('b'),
      toolMessage('b', 'y', [image(8)]),
    ];
    const { client, taken } = turnOf([[done()]], { messages, contents });
    await taken;
    const [, , , result, images, again, last, ...others] = client.requests[0]?.messages ?? [];
    expect(result).toMatchObject({ role: 'tool', content: 'x' });
    expect(images).toEqual({
      role: 'user',
      content: 'The images of these results, in this order: file_1',
      images: [{ id: 'file_1', mediaType: 'image/png', bytes }],
    });
    expect([again?.role, last?.role, others]).toEqual(['assistant', 'tool', []]);
  });
});
