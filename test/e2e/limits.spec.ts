import { describe, expect, it } from '@jest/globals';
import { call } from '../support/mcp-callers/posted.js';
import { Gate, before, say } from '../support/scripted-model.js';
import type { SseStream } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

async function withStage(env: Record<string, string>, play: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await Stage.open({ env });
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

describe('MAX_RUNS', () => {
  it('lets the runs above it wait their turn, and refuses with 429 where too many wait', () =>
    withStage({ MAX_RUNS: '2' }, async ({ client, book, model, service }) => {
      const gate = new Gate();
      const streams: SseStream[] = [];
      const start = (n: number): Promise<SseStream> =>
        client.run({ message: book.on(`run ${n}`, say('a', before(gate), 'b')), streaming_tokens: true });
      for (let n = 0; n < 10; n++) streams.push(await start(n));
      const refused = await client.post('/', { message: 'one too many' });
      expect([refused.status, refused.json()['code']]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      const byMcp = await call(service, 'run_agent', { message: 'one too many' });
      expect([byMcp.status, JSON.parse(byMcp.text)]).toEqual([
        429,
        expect.objectContaining({ code: 'rate_limited' }),
      ]);
      expect(Number(byMcp.headers['retry-after'])).toBeGreaterThan(0);
      await model.requested(2);
      expect(model.requests).toHaveLength(2);
      gate.open();
      for (const stream of streams) expect((await stream.closed()).lines.at(-1)).toBe('agent_completed');
      expect(model.maxConcurrent).toBe(2);
      expect(await client.all('/runs')).toHaveLength(10);
    }));
});

describe('RATE_LIMIT_RPM', () => {
  it('counts the requests of a key, and says when to come back', () =>
    withStage({ RATE_LIMIT_RPM: '20' }, async ({ client, service }) => {
      const answers = [];
      for (let n = 0; n < 25; n++) answers.push(await client.get('/runs'));
      const allowed = answers.filter(({ status }) => status === 200);
      // A minute of the clock may have ended in between.
      expect(allowed.length).toBeGreaterThanOrEqual(20);
      expect(answers[0]?.headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '19' });
      const refused = answers.find(({ status }) => status !== 200);
      expect([refused?.status, refused?.json()['code']]).toEqual([429, 'rate_limited']);
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await service.client('').get('/readyz')).status).toBe(200);
    }));

  it('counts what signs in to the console with the key, too: each is an append to the log', () =>
    withStage({ RATE_LIMIT_RPM: '20' }, async ({ service, client }) => {
      const issued = await client.post('/api-keys', { name: 'scrape', scopes: ['metrics'] });
      const { key } = issued.json<{ key: string }>();
      const stranger = service.client('');
      const statuses: number[] = [];
      for (let n = 0; n < 45; n++) statuses.push((await stranger.post('/console/auth', { key })).status);
      // A minute of the clock may have ended in between.
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(40);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
    }));
});

describe('MAX_BODY_KB', () => {
  it('refuses larger bodies with 413, and takes those below', () =>
    withStage({ MAX_BODY_KB: '300' }, async ({ client, book }) => {
      const small = 'x'.repeat(290 * 1024);
      const ended = await client.runToEnd(book.on(small, say('Long.')));
      expect(ended.messages).toEqual([
        { type: 'user_message', content: small },
        { type: 'agent_response', content: 'Long.' },
      ]);
      const answer = await client.post('/', { message: 'x'.repeat(301 * 1024) });
      expect([answer.status, answer.json()['code']]).toEqual([413, 'payload_too_large']);
    }));
});

describe('requests that are refused', () => {
  const MB = 1024 * 1024;
  const ZONE = 'america/argentina/comodrivadavia';
  /** The same zone, in letters of which others are capitals each time. */
  const spelled = (n: number): string =>
    ZONE.split('')
      .map((letter, at) => ((n >> (at % 20)) & 1 ? letter.toUpperCase() : letter))
      .join('');

  it('leave nothing in memory, however many names of zones stood in them', () =>
    withStage({}, async ({ client }) => {
      const residentMb = async (): Promise<number> =>
        Number(/^process_resident_memory_bytes (\S+)$/m.exec((await client.get('/metrics')).text)?.[1]) / MB;
      const refuse = async (n: number): Promise<void> => {
        const schedules = Array.from({ length: 99 }, (_, i) => ({
          schedule: '30 2 * * *',
          timezone: spelled(n * 99 + i),
          message: 'm',
        }));
        const wrong = { schedule: 'never', message: 'm' };
        const answer = await client.post('/', { message: 'm', schedules: [...schedules, wrong] });
        expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('schedules[99]')]);
      };
      for (let n = 0; n < 20; n++) await refuse(n);
      const before = await residentMb();
      for (let n = 20; n < 60; n++) await refuse(n);
      expect((await residentMb()) - before).toBeLessThan(50);
    }));
});
