import { describe, expect, it } from '@jest/globals';
import type { EventLog, RecordedEvent } from '#event-log';
import type { ContentStore } from '#vault';
import { LineEvents } from './line-events.js';

const FILE = { $file: 'f', bytes: 5_000_000 };

const EVENTS = ['session_opened', 'agent_response', 'agent_response'].map((type, revision) => {
  const data = type === 'session_opened' ? {} : { content: FILE };
  return { type, data, json: JSON.stringify(data), revision, time: 0, meta: {} } as unknown as RecordedEvent;
});

const log = {
  async *readStream(_stream: string, { limit = Infinity } = {}) {
    yield EVENTS.slice(0, limit);
  },
} as unknown as EventLog;

describe('the events of a session with their texts', () => {
  it('are weighed with what lies in files, before that is read', async () => {
    const order: (string | number)[] = [];
    const contents = {
      textOrNote: () => Promise.resolve(order.push('read') && 'text'),
    } as unknown as ContentStore;
    const weigh = (bytes: number) => Promise.resolve(void order.push(bytes));
    const types: string[] = [];
    for await (const { event } of new LineEvents(log, contents).of('ses_a', weigh)) types.push(event.type);
    expect(types).toEqual(EVENTS.map(({ type }) => type));
    expect(order).toEqual([expect.any(Number), 'read', 'read']);
    expect(order[0]).toBeGreaterThan(2 * FILE.bytes);
  });
});
