import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import type { ModelEnd, ToolOutcome } from '#agent';
import { CallbackSender, type SendOutcome } from '#delivery';
import type { RunEnd, TurnToolCall } from '#domain';
import { newEvent } from '#event-log';
import { Metrics, type Span, SystemClock, Tracer } from '#platform';
import { TempLog } from '../../../../test/support/temp-log.js';
import { EventFigures } from './event-figures.js';
import { HttpWatch } from './http-watch.js';
import { ServiceRunWatch } from './service-run-watch.js';
import { WatchedLog } from './watched-log.js';
import { WatchedSender } from './watched-sender.js';

const fail = (): never => {
  throw new Error('nobody can count this');
};

/** Each figure fails whenever it is told something. */
class FailingMetrics extends Metrics {
  override figures = (): Promise<never> => Promise.reject(new Error('figures'));
  override counter = () => ({ add: fail });
  override gauge = () => ({ set: fail });
  override histogram = () => ({ observe: fail });
  override onRead = () => undefined;
  override read = () => Promise.resolve({ contentType: '', text: '' });
}

const SPAN: Span = {
  get traceparent(): string {
    return fail();
  },
  get traceId(): string {
    return fail();
  },
  set: fail,
  fail,
  end: fail,
};

/** Fails when a span begins, or else at everything after that, having done the work or not. */
class FailingTracer extends Tracer {
  constructor(private readonly when: 'start' | 'before the work' | 'after the work') {
    super();
  }
  override start = (): Span => (this.when === 'start' ? fail() : SPAN);
  override within<T>(_span: Span, work: () => T): T {
    if (this.when === 'after the work') work();
    return fail();
  }
  override get current(): Span | null {
    return fail();
  }
  override close = () => Promise.reject(new Error('no collector'));
}

const clock = new SystemClock();
const metrics = new FailingMetrics();
const FACTS = {
  run: 'run_s_1',
  session: 's',
  project: 'p',
  mode: 'base',
  model: 'm',
  trigger: 'request',
  requestedAt: 0,
  epoch: 1,
  usage: () => ({ inputTokens: 0, outputTokens: 0 }),
};

describe('an append', () => {
  it('that was stored says so, although its figures and whoever counts its events fail', async () => {
    const temp = await TempLog.open();
    try {
      const log = new WatchedLog(temp.log, metrics, [fail]);
      const event = newEvent(
        { id: crypto.randomUUID(), type: 'session_opened', time: 0, data: {} },
        { schemaVersion: 1, project: 'p', actor: 'a' },
      );
      const expected = { expected: 'no_stream' } as const;
      expect((await log.append('session-s', [event], expected)).kind).toBe('appended');
      const other = { ...event, id: crypto.randomUUID() };
      expect((await log.append('session-s', [other], expected)).kind).toBe('conflict');
    } finally {
      await temp.close();
    }
  });

  it('tells what was wrong with its figures', async () => {
    const temp = await TempLog.open();
    try {
      const faults: unknown[] = [];
      const log = new WatchedLog(temp.log, metrics, [fail], (error) => faults.push(error));
      const event = newEvent(
        { id: crypto.randomUUID(), type: 'session_opened', time: 0, data: {} },
        { schemaVersion: 1, project: 'p', actor: 'a' },
      );
      await log.append('session-s', [event], { expected: 'no_stream' });
      expect(faults).toHaveLength(3);
    } finally {
      await temp.close();
    }
  });
});

describe.each(['start', 'before the work', 'after the work'] as const)(
  'with a tracer that fails (%s) and figures that do',
  (when) => {
    const tracer = new FailingTracer(when);
    const watch = new ServiceRunWatch(clock, metrics, new EventFigures(clock, metrics), tracer);

    /** What comes of work is handed on, the work is done once. */
    async function isHandedOn<T>(value: T, watched: (work: () => Promise<T>) => Promise<T>): Promise<void> {
      let times = 0;
      const ended = await watched(() => {
        times += 1;
        return Promise.resolve(value);
      });
      expect([ended, times]).toEqual([value, 1]);
      const failure = new Error('its own');
      await expect(watched(() => Promise.reject(failure))).rejects.toBe(failure);
    }

    it('a run, a call of the model and a call of a tool end as they end', async () => {
      await isHandedOn<RunEnd | null>({ kind: 'completed' }, (drive) => watch.run(FACTS, drive));
      // An answer that the figures cannot make sense of, too.
      await isHandedOn<ModelEnd>({ kind: 'end' } as ModelEnd, (ask) => watch.modelCall('m', ask));
      await isHandedOn<ToolOutcome>({ content: 'x' }, (make) =>
        watch.toolCall({ id: 'c', name: 't' } as TurnToolCall, make),
      );
    });

    it('a callback is sent', async () => {
      const sender = new (class extends CallbackSender {
        override send = (): Promise<SendOutcome> =>
          Promise.resolve({ kind: 'answered', status: 204, retryAfter: null } as SendOutcome);
      })();
      const request = { url: 'https://example.com', headers: { 'annals-run': 'run_s_1' }, body: '{}' };
      const outcome = await new WatchedSender(sender, metrics, tracer).send(
        request,
        new AbortController().signal,
      );
      expect(outcome).toMatchObject({ kind: 'answered', status: 204 });
    });

    it('a request is answered', async () => {
      const fastify = Fastify();
      new HttpWatch(metrics, tracer).watch(fastify);
      fastify.get('/', () => ({ is: 'well' }));
      try {
        const origin = await fastify.listen({ port: 0 });
        const answer = await fetch(origin);
        expect([answer.status, await answer.json()]).toEqual([200, { is: 'well' }]);
      } finally {
        await fastify.close();
      }
    });
  },
);
