import { describe, expect, it } from '@jest/globals';
import { Annals, type AnnalsOptions } from './index.js';

const client = (more: Partial<AnnalsOptions> = {}): Annals =>
  new Annals({ url: 'http://127.0.0.1:1', key: 'k', ...more });

/** Node's own is not that of the world that a spec runs in. */
const TYPE_ERROR = { name: 'TypeError' };

describe('a request that cannot be sent', () => {
  it.each([
    ['an address without its scheme', { url: 'localhost:3000' }],
    ['a number without a scheme', { url: '127.0.0.1:3000' }],
    ['an address with credentials', { url: 'http://a:b@127.0.0.1:1' }],
    ['a key of two lines', { key: 'k\nl' }],
    ['a key that is not of bytes', { key: '鍵' }],
  ])('is told of at once: %s', async (_, options) => {
    await expect(client(options).run('run_ses_1_1').get()).rejects.toMatchObject(TYPE_ERROR);
    await expect(client(options).run('run_ses_1_1').events().next()).rejects.toMatchObject(TYPE_ERROR);
  });

  it('is told of at once: an Idempotency-Key of two lines', async () => {
    await expect(client().start({ message: 'x' }, { idempotencyKey: 'a\nb' })).rejects.toMatchObject(
      TYPE_ERROR,
    );
  });
});

describe('a refusal that is cut off', () => {
  it('is no answer, and asked for again', async () => {
    const asked: string[] = [];
    const cut = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('cut'));
      },
    });
    const headers = { 'content-type': 'application/problem+json' };
    const answer: typeof fetch = (input) =>
      Promise.resolve(
        asked.push(input as string) === 1
          ? new Response(cut, { status: 503, headers })
          : Response.json({ run_id: 'run_ses_1_1' }),
      );
    expect(await client({ fetch: answer }).run('run_ses_1_1').get()).toEqual({ run_id: 'run_ses_1_1' });
    expect(asked).toHaveLength(2);
  });
});

describe('a refusal that asks for no wait', () => {
  it.each(['0', 'Thu, 15 Jan 2026 11:00:00 GMT'])('is asked for again later each time: %s', async (asked) => {
    let times = 0;
    const headers = { 'retry-after': asked };
    const answer: typeof fetch = () => {
      times += 1;
      return Promise.resolve(new Response('', { status: 503, headers }));
    };
    const call = client({ fetch: answer, patienceMs: 400 }).run('run_ses_1_1').get();
    await expect(call).rejects.toMatchObject({ name: 'AnnalsRefused', status: 503 });
    expect(times).toBeLessThan(5);
  });
});
