import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ModelRequest, ModelFailure } from '#agent';
import { type RunConfig, sessionStream } from '#domain';
import { House, type HouseOptions } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { isForSummary, long, talked, talks } from '../../../test/support/long-talk.js';
import { type ClientStep, done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';

let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const open = (options: Partial<HouseOptions> = {}) =>
  new House(temp, `too long ${++count}`, { script: talks(), ...options });
const plain: RunConfig = {};

describe('a context that the model finds too long', () => {
  /** A server that takes so many characters. */
  const takes =
    (max: number, summary: readonly ClientStep[]) =>
    (request: ModelRequest, n: number): readonly ClientStep[] => {
      const chars = request.messages.slice(1).reduce((sum, { content }) => sum + content.length, 0);
      if (chars > max) return [new ModelFailure('too_long', 'the context is too long')];
      return isForSummary(request) ? summary : [text(long(`answer ${n} `)), done()];
    };

  it('is summed up, or loses its oldest turns, until it fits', async () => {
    const house = open({ script: takes(3_000, [text('in short'), done()]), context: 100_000 });
    const session = await talked(house, 12);
    const ends = (await house.types(session)).filter((type) => type === 'agent_completed');
    expect(ends).toHaveLength(12);
    const types = await house.types(session);
    expect(types.filter((type) => type === 'agent_compacted').length).toBeGreaterThan(1);
  });

  it('ends the run where nothing is left to leave out', async () => {
    const house = open({ script: takes(300, []), context: 100_000 });
    const { session } = await house.run(long('ask '), { config: plain });
    const events = await temp.read(sessionStream(session));
    expect(events.at(-1)).toMatchObject({ type: 'agent_error', data: { code: 'context_too_long' } });
    expect(house.model.requests).toHaveLength(1);
  });

  it.each<RunConfig>([plain, { compaction: false }])(
    'ends no later run for a message that was too long (%j)',
    async (config) => {
      const house = open({ script: takes(1_500, [new ModelFailure('too_long', 'no')]), context: 100_000 });
      const { session } = await house.run('hello', { config });
      for (const message of ['x'.repeat(10_000), 'again', 'and again'])
        await house.run(message, { session, config });
      const ends = (await house.types(session)).filter((type) => /^agent_(?:completed|error)$/.test(type));
      expect(ends).toEqual(['agent_completed', 'agent_error', 'agent_completed', 'agent_completed']);
      expect(house.told(-1).join()).not.toContain('xxx');
    },
  );

  it('ends no later run for the result of a tool that was too long', async () => {
    const look = new LedgerTool('look', { act: () => Promise.resolve('x'.repeat(10_000)) });
    const refuses = takes(1_500, [new ModelFailure('too_long', 'no')]);
    const script = (request: ModelRequest, n: number): readonly ClientStep[] =>
      n === 0 ? [text(''), done(toolCall('c', 'look', {}))] : refuses(request, n);
    const house = open({ script, context: 100_000, tools: [look] });
    const { session } = await house.run('look', { config: plain });
    await house.run('again', { session, config: plain });
    expect((await house.types(session)).filter((type) => /^agent_(?:completed|error)$/.test(type))).toEqual([
      'agent_error',
      'agent_completed',
    ]);
  });

  it('begins the turn anew of which something was said', async () => {
    let isFirst = true;
    const script = (request: ModelRequest, n: number): readonly ClientStep[] => {
      if (n < 4 || isForSummary(request) || !isFirst) return talks()(request, n);
      isFirst = false;
      return [text('half a'), new ModelFailure('too_long', 'no')];
    };
    const house = open({ script, context: 100_000 });
    const session = await talked(house, 5);
    expect(house.told(-1)[0]).toBe('user in short');
    await house.run('more', { session, config: plain });
    expect(house.told(-1).join()).not.toContain('half a');
  });
});
