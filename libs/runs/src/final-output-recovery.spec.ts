import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '#agent';
import { type RunConfig, isEndType, sessionStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import { House } from '../../../test/support/house.js';
import { RecordedRun } from '../../../test/support/recorded-run.js';
import { isFinalAsked, publicLines } from '../../../test/support/run-script.js';
import { type ClientStep, done, text } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';

let temp: TempLog;
let recorded: RecordedRun;
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const CONFIG: RunConfig = { final_output: { name: 'count', schema } };
const TURNS = 3;

/** Says `six`; the first final output does not validate, a repaired one does. */
function script(request: ModelRequest): readonly ClientStep[] {
  if (!isFinalAsked(request)) return [text('six'), done()];
  const isRepair = request.messages.at(-1)?.content.includes('does not match');
  return [text(isRepair ? '{"n":6}' : '{"n":"six"}'), done()];
}

const open = (boot: string) => new House(temp, boot, { script });
const turns = (events: readonly RecordedEvent[]) =>
  events.filter(({ type }) => type === 'model_turn_completed').length;

beforeAll(async () => {
  temp = await TempLog.open();
  recorded = await RecordedRun.of(temp, await open('recorded').run('count', { config: CONFIG }));
});
afterAll(() => temp.close());

describe('a process that finds a final output as a crash left it', () => {
  it('is compared with a run of one repair', () => {
    expect(turns(recorded.events)).toBe(TURNS);
    expect(recorded.boundaries.length).toBeGreaterThanOrEqual(7);
  });

  it('ends it, from any prefix of its appends, and asks for no answer that is known', async () => {
    for (const length of recorded.boundaries) {
      const prefix = recorded.events.slice(0, length);
      const at = await recorded.copy(length);
      const house = open(`after ${length}`);
      await house.core.recovery.resume(at.session);
      await house.ended(at);
      await house.settled();
      const events = await temp.read(sessionStream(at.session));
      const found = {
        length,
        turns: turns(events),
        asked: house.model.requests.length,
        ends: events.filter(({ type }) => isEndType(type)).length,
        lines: publicLines(events, at.run).slice(-4),
        errors: house.errors,
      };
      expect(found).toEqual({
        length,
        turns: TURNS,
        asked: TURNS - turns(prefix),
        ends: 1,
        lines: ['step 1', 'final_output {"n":6}', 'cost 0', 'completed'],
        errors: [],
      });
    }
  });

  it('has no more repairs than were left', async () => {
    const wrong = () => [text('{"n":"six"}'), done()];
    const answersBefore = recorded.events.findIndex(
      ({ data }) => 'final_output' in data && data.final_output === true,
    );
    const at = await recorded.copy(answersBefore + 1);
    const house = new House(temp, 'no more', { script: wrong });
    await house.core.recovery.resume(at.session);
    await house.ended(at);
    expect(house.model.requests).toHaveLength(2);
    const events = await temp.read(sessionStream(at.session));
    expect(publicLines(events, at.run).at(-1)).toMatch(/^error final_output_invalid/);
  });
});
