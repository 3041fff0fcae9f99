import { describe, expect, it } from '@jest/globals';
import type { GivenItem } from '#domain';
import { SessionFace } from '#openai-face';
import type { Weigh } from '#platform';
import type { Sessions } from '#runs';
import { ManualClock } from '../../../../../../test/support/manual-clock.js';
import { AnswerRoom } from '../../../edge/answers/answer-room.js';
import type { ConversationReading } from '../reading/conversation-reading.js';
import type { FaceEvents } from '../reading/face-events.js';
import type { ResponseReading } from '../reading/response-reading.js';
import { type WaitingResponse, WaitingRuns } from './waiting-runs.js';

const MB = 1024 * 1024;

function open() {
  const room = new AnswerRoom(16 * MB, new ManualClock());
  /** What was taken of the room by each reading, when it had read. */
  const taken: number[] = [];
  const conversations = {
    findSession: (_project: string, session: string) => Promise.resolve(session),
    face: async (_session: string, weigh?: Weigh) => {
      await weigh?.(MB);
      taken.push(room.inUse);
      return new SessionFace();
    },
  } as unknown as ConversationReading;
  const waiting = new WaitingRuns(
    {} as FaceEvents,
    {} as ResponseReading,
    conversations,
    {} as Sessions,
    room,
  );
  return { waiting, room, taken };
}

/** It names a session, and says nothing else. */
const ITEM = { kind: 'result', id: 'call_a_8', output: 'x' } as unknown as GivenItem;
const HELD = {
  place: { session: 'ses_a', run: 'run_ses_a_b' },
  followedBy: null,
} as unknown as WaitingResponse;

describe('a session that few words of a request have read whole', () => {
  it('takes its part of the room while it is looked at, and gives it back', async () => {
    const { waiting, room, taken } = open();
    expect(await waiting.byValue('p', [ITEM], null)).toBeNull();
    expect(await waiting.again('p', 'ses_a', [ITEM])).toBeNull();
    expect(await waiting.held('p', HELD)).toEqual([]);
    expect(taken).toEqual([4 * MB, 4 * MB, 4 * MB]);
    expect(room.inUse).toBe(0);
  });

  it('is read in turns where many ask for it at once', async () => {
    const { waiting, room, taken } = open();
    await Promise.all(Array.from({ length: 20 }, () => waiting.byValue('p', [ITEM], null)));
    expect(taken).toHaveLength(20);
    expect(Math.max(...taken)).toBe(8 * MB);
    expect(room.inUse).toBe(0);
  });
});
