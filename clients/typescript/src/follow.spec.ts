import { describe, expect, it } from '@jest/globals';
import { quiet } from '../../../test/support/quiet.js';
import { Annals } from './index.js';

const PATIENCE_MS = 300;
/** Than the patience, and than a connection may say nothing. */
const LONGER_MS = 400;

type Told = (say: (text: string) => void) => Promise<void>;
const sse = (id: number, type: string): string => `id: ${id}\ndata: {"type":"${type}","session":"ses_1"}\n\n`;

/** A client of a service that tells this on its first connection, that on its second; each is cut then. */
function clientOf(...tellings: readonly Told[]) {
  const asked: (string | null)[] = [];
  const encoder = new TextEncoder();
  const streamOf = (tell: Told, signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
        void tell((text) => controller.enqueue(encoder.encode(text))).then(() => controller.close());
      },
    });
  const answer: typeof fetch = (_input, init) => {
    const tell = tellings[asked.length];
    asked.push(new Headers(init?.headers).get('last-event-id'));
    if (tell === undefined) throw new Error('asked too often');
    return Promise.resolve(new Response(streamOf(tell, init?.signal)));
  };
  const url = 'http://annals';
  const make = (quietMs?: number): Annals =>
    new Annals({ url, key: 'k', patienceMs: PATIENCE_MS, fetch: answer, ...(quietMs ? { quietMs } : {}) });
  return { events: (quietMs?: number) => make(quietMs).run('run_ses_1_1').events(), asked };
}

describe('a stream that is cut', () => {
  const end: Told = async (say) => say(sse(2, 'agent_completed'));

  it('is taken up after a quiet that was longer than the patience', async () => {
    const { events, asked } = clientOf(async (say) => {
      say(sse(1, 'agent_started'));
      await quiet(LONGER_MS);
    }, end);
    expect((await Array.fromAsync(events())).map(({ id }) => id)).toEqual(['1', '2']);
    expect(asked).toEqual([null, '1']);
  });

  it('is taken up each time, where between the cuts nothing but comments came', async () => {
    const comments: Told = async (say) => {
      await quiet(LONGER_MS);
      say(':\n\n');
    };
    const { events, asked } = clientOf(comments, comments, end);
    expect((await Array.fromAsync(events())).map(({ id }) => id)).toEqual(['2']);
    expect(asked).toEqual([null, null, null]);
  });

  it('is taken up behind a caller who took longer over an event than the patience', async () => {
    const { events, asked } = clientOf(async (say) => say(sse(1, 'agent_started')), end);
    const seen: string[] = [];
    for await (const { id } of events()) {
      seen.push(id);
      await quiet(LONGER_MS);
    }
    expect([seen, asked]).toEqual([
      ['1', '2'],
      [null, '1'],
    ]);
  });
});

describe('a stream', () => {
  it('goes on behind a caller who took longer over an event than a connection may say nothing', async () => {
    let tell = (): void => undefined;
    const told = new Promise<void>((resolve) => (tell = resolve));
    const { events, asked } = clientOf(async (say) => {
      say(sse(1, 'agent_started'));
      await told;
      say(sse(2, 'agent_completed'));
    });
    const seen: string[] = [];
    for await (const { id } of events(PATIENCE_MS)) {
      seen.push(id);
      await quiet(LONGER_MS);
      tell();
    }
    expect([seen, asked]).toEqual([['1', '2'], [null]]);
  });
});
