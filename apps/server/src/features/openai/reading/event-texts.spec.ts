import { describe, expect, it } from '@jest/globals';
import type { RecordedEvent } from '#event-log';
import { bytesWithTexts, summed } from './event-texts.js';

const recorded = (data: object, more: object = {}): RecordedEvent =>
  ({ json: JSON.stringify(data), data, ...more }) as RecordedEvent;

describe('what is read of a session', () => {
  it('weighs what its texts do, wherever they lie', () => {
    const plain = recorded({ content: 'x'.repeat(100) });
    const nested = recorded({
      items: [{ content: { $file: 'a', bytes: 5000 } }],
      b: { $file: 'b', bytes: 70 },
    });
    expect(bytesWithTexts([plain, nested])).toBe(plain.json.length + nested.json.length + 5070);
  });

  it('is not looked into where it cannot be read', () => {
    const broken = {
      json: 'no JSON {"$file":',
      isUnreadable: true,
      get data(): object {
        throw new Error('unreadable');
      },
    } as RecordedEvent;
    expect(bytesWithTexts([broken])).toBe(broken.json.length);
  });

  it('is asked for together with all before it where it is kept, in few steps', async () => {
    const asked: number[] = [];
    const weigh = summed((bytes) => Promise.resolve(void asked.push(bytes)));
    for (let page = 0; page < 1000; page++) await weigh(10);
    expect(asked).toEqual([10, 40, 160, 640, 2560, 10_240]);
    await weigh(1_000_000);
    expect(asked.at(-1)).toBe(1_010_000);
  });
});
