import { describe, expect, it } from '@jest/globals';
import type { ConversationCommands, EraseSession } from '#runs';
import type { LineEvents } from '../reading/line-events.js';
import type { ResponseReading } from '../reading/response-reading.js';
import { ResponseDeletion } from './response-deletion.js';

describe('the session of a deleted response', () => {
  it('is held by one deletion of a project at a time, and each erases what is of no use any more', async () => {
    let [reading, most, erased] = [0, 0, 0];
    const lines = {
      async *of() {
        reading += 1;
        most = Math.max(most, reading);
        await new Promise(setImmediate);
        reading -= 1;
        yield* [];
      },
    } as unknown as LineEvents;
    const responses = {
      find: () => Promise.resolve({ place: { session: 'ses_a' } }),
      read: () => Promise.resolve(),
    } as unknown as ResponseReading;
    const commands = { deleteResponse: () => Promise.resolve() } as unknown as ConversationCommands;
    const erasure = { erase: () => Promise.resolve(void (erased += 1)) } as unknown as EraseSession;
    const deletion = new ResponseDeletion(responses, lines, commands, erasure);
    const caller = { project: 'p', actor: 'k' };
    await Promise.all(Array.from({ length: 20 }, () => deletion.delete('resp_a_b_1', caller)));
    expect([most, erased]).toEqual([1, 20]);
  });
});
