import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { SessionQueries, SessionsAsOf } from '#read-models';
import type { ContextsAsOf } from '#runs';
import type { ContentStore } from '#vault';
import type { LargeAnswers, Pieces } from '../../edge/answers/large-answer.js';
import { SessionAnswers } from './session-answers.js';

const large = {
  async send(_reply: FastifyReply, _project: string, pieces: Pieces) {
    let text = '';
    for await (const piece of pieces(() => Promise.resolve())) text += piece;
    return text;
  },
} as unknown as LargeAnswers;
const past = { moment: () => Promise.resolve({ session: 'ses_a', at: 1 }) } as unknown as SessionsAsOf;

describe('contexts that are asked for', () => {
  it('are folded one at a time of a project, and of no more than two', async () => {
    const folding: string[] = [];
    let most = 0;
    let count = 0;
    const contexts = {
      of: async () => {
        most = Math.max(most, folding.push('x'));
        await new Promise(setImmediate);
        folding.pop();
        count += 1;
        return [];
      },
    } as unknown as ContextsAsOf;
    const answers = new SessionAnswers({} as SessionQueries, past, large, contexts, {} as ContentStore);
    const reply = { code: () => reply, raw: { destroyed: false } } as unknown as FastifyReply;
    const ask = (project: string) => answers.context(project, { session: 'ses_a' }, reply);
    await Promise.all(Array.from({ length: 20 }, () => ask('p')));
    expect([most, count]).toEqual([1, 20]);
    await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`p${n % 3}`)));
    expect([most, count]).toEqual([2, 40]);
  });
});
