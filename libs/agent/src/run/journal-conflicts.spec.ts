import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Draft, decideCancel, decideStart } from '#domain';
import { EventTooLarge, LogUnavailable } from '#event-log';
import { JournalFixture, META } from '../../../../test/support/journal-fixture.js';
import { answerLost, behind, lost, unavailable } from '../../../../test/support/scripted-log.js';
import {
  PROJECT,
  cancelRequested,
  cleared,
  requested,
  responseStart,
  runRequest,
  step,
} from '../../../../test/support/session-tape.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { ClaimLost } from './run-writer.js';

let temp: TempLog;
let count = 0;
const open = () => JournalFixture.open(temp, `ses_c${++count}`);

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const takeOver: Draft = { type: 'run_claimed', data: { worker: 'w2', epoch: 2, requested: 1 } };
const idsOf = (fixture: JournalFixture) => fixture.log.appends.map((a) => a.events.map((e) => e.id));

/** Starts a run in the session, and keeps what each decision saw. */
function startIn(fixture: JournalFixture, run: string) {
  const seen: { next: number; waiting: readonly string[] }[] = [];
  const outcome = fixture.journal.command({ ...META, run }, (state, next) => {
    seen.push({ next, waiting: state.waiting.map((w) => w.run) });
    const terms = { project: PROJECT, actor: 'k1', worker: 'w1', next, hasRoom: true };
    const decision = decideStart(state, runRequest(run), terms);
    return { events: decision.kind === 'known' ? [] : decision.events, value: seen.length };
  });
  return { seen, outcome };
}

describe('after a conflict', () => {
  it('a command is decided again on what the stranger wrote', async () => {
    const fixture = await open();
    fixture.log.next(behind(() => fixture.rival('run_x', requested('faster'))));
    const { seen, outcome } = startIn(fixture, 'run_b');
    await expect(outcome).resolves.toBe(2);
    expect(seen).toEqual([
      { next: 4, waiting: [] },
      { next: 5, waiting: ['run_x'] },
    ]);
    expect(fixture.journal.state.waiting.map((w) => w.run)).toEqual(['run_x', 'run_b']);
    expect(fixture.heard.flat().map((e) => e.revision)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("a run's events are written behind the stranger's, with the ids that they have", async () => {
    const fixture = await open();
    fixture.log.next(
      behind(() => fixture.rival(undefined, cleared)),
      behind(() => fixture.rival(fixture.run, cancelRequested)),
    );
    fixture.write(responseStart);
    fixture.writeText('6 x');
    const settled = fixture.settled();
    await settled;
    expect(await fixture.lines()).toEqual([
      'messages_cleared',
      'run_cancel_requested',
      'agent_response_start',
      'agent_response 6 x',
    ]);
    const [, first, ...again] = idsOf(fixture);
    expect(again).toEqual([first, first]);
    expect(fixture.log.appends.map((a) => a.expected)).toEqual(['no_stream', 3, 4, 5]);
    expect(fixture.aborts).toEqual([]);
  });

  it('text that comes meanwhile is not added to an event that was made', async () => {
    const fixture = await open();
    fixture.log.next(behind(() => fixture.rival(undefined, cleared)));
    fixture.log.isReadable = false;
    fixture.writeText('6 x');
    await fixture.clock.timerWithin(200);
    fixture.writeText(' 7');
    const settled = fixture.settled();
    fixture.log.isReadable = true;
    fixture.clock.advance(200);
    await settled;
    expect(await fixture.lines()).toEqual(['messages_cleared', 'agent_response 6 x', 'agent_response  7']);
  });

  it('a run that another worker has claimed writes nothing more, and is aborted', async () => {
    const fixture = await open();
    fixture.log.next(behind(() => fixture.rival(fixture.run, takeOver)));
    fixture.writeText('6 x');
    await expect(fixture.settled()).rejects.toThrow(ClaimLost);
    expect(fixture.writer.lost).toBeInstanceOf(ClaimLost);
    expect(fixture.aborts).toEqual([fixture.writer.lost]);
    fixture.writeText(' 7');
    fixture.write(step(1));
    await expect(fixture.settled()).rejects.toThrow(ClaimLost);
    expect(await fixture.lines()).toEqual(['run_claimed']);
  });

  it('commands go on where a run has lost its claim', async () => {
    const fixture = await open();
    fixture.log.next(behind(() => fixture.rival(fixture.run, takeOver)));
    fixture.writeText('6 x');
    const { outcome } = startIn(fixture, 'run_b');
    await outcome;
    expect(await fixture.lines()).toEqual(['run_claimed', 'run_requested']);
    expect(fixture.journal.state).toMatchObject({
      current: { worker: 'w2', epoch: 2 },
      waiting: [{ run: 'run_b' }],
    });
  });

  it('an event of a run that has ended is refused: nothing stands behind an end', async () => {
    const fixture = await open();
    fixture.write({ type: 'agent_completed', data: {} });
    await fixture.settled();
    fixture.write(step(9));
    await expect(fixture.settled()).rejects.toThrow(ClaimLost);
    expect(await fixture.lines()).toEqual(['agent_completed']);
  });
});

describe('while the log takes nothing', () => {
  it('commands are refused and what a run wrote is tried again with the same ids', async () => {
    const fixture = await open();
    fixture.log.next(unavailable, unavailable);
    fixture.writeText('6 x');
    const cancel = fixture.journal.command({ ...META, run: fixture.run }, (state) => ({
      events: decideCancel(state, fixture.run),
      value: null,
    }));
    await expect(cancel).rejects.toThrow(LogUnavailable);
    const settled = fixture.settled();
    expect(await fixture.clock.pass(200)).toBe(200);
    expect(await fixture.clock.pass(200)).toBe(200);
    await settled;
    expect(await fixture.lines()).toEqual(['agent_response 6 x']);
    const [, first, ...again] = idsOf(fixture);
    expect(first).toHaveLength(2);
    expect(again).toEqual([first?.slice(0, 1), first?.slice(0, 1)]);
    expect(fixture.aborts).toEqual([]);
  });

  const takenAway = (fixture: JournalFixture) => {
    const taken = fixture.journal.command({ ...META, run: fixture.run }, () => ({
      events: [takeOver],
      value: null,
    }));
    fixture.writeText('6 x');
    return taken;
  };

  it('a run goes on that would have been taken away by what was refused', async () => {
    const fixture = await open();
    fixture.log.next(unavailable);
    await expect(takenAway(fixture)).rejects.toThrow(LogUnavailable);
    const settled = fixture.settled();
    expect(await fixture.clock.pass(200)).toBe(200);
    await settled;
    expect(await fixture.lines()).toEqual(['agent_response 6 x']);
    expect(fixture.aborts).toEqual([]);
  });

  it('but is taken away by what is stored in the same breath', async () => {
    const fixture = await open();
    await takenAway(fixture);
    await expect(fixture.settled()).rejects.toThrow(ClaimLost);
    expect(await fixture.lines()).toEqual(['run_claimed']);
  });
});

describe('an append of which nobody knows', () => {
  it('is repeated, identical, until it is known, and stands once', async () => {
    const fixture = await open();
    fixture.log.next(lost, answerLost, unavailable, lost);
    fixture.write(responseStart);
    fixture.writeText('6 x');
    const settled = fixture.settled();
    const waits = [];
    for (let i = 0; i < 4; i++) waits.push(await fixture.clock.pass(5_000));
    fixture.writeText(' 7');
    await settled;
    await fixture.settled();
    expect(waits).toEqual([25, 50, 100, 200]);
    const [, first, ...others] = fixture.log.appends;
    for (const again of others.slice(0, 4)) expect(again).toEqual(first);
    expect(await fixture.lines()).toEqual([
      'agent_response_start',
      'agent_response 6 x',
      'agent_response  7',
    ]);
    expect(fixture.heard.flat().map((e) => e.revision)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('is not decided again: a command that was stored is stored once', async () => {
    const fixture = await open();
    fixture.log.next(answerLost);
    const { seen, outcome } = startIn(fixture, 'run_b');
    await fixture.clock.pass(5_000);
    await expect(outcome).resolves.toBe(1);
    expect(seen).toHaveLength(1);
    expect(await fixture.lines()).toEqual(['run_requested']);
  });

  it('and that was not stored while a stranger wrote is a conflict like any other', async () => {
    const fixture = await open();
    fixture.log.next(
      lost,
      behind(() => fixture.rival('run_x', requested('faster'))),
    );
    const { outcome } = startIn(fixture, 'run_b');
    await fixture.clock.pass(5_000);
    await expect(outcome).resolves.toBe(2);
    expect(await fixture.lines()).toEqual(['run_requested', 'run_requested']);
  });
});

describe("a stranger's events", () => {
  it('are read when they are heard of', async () => {
    const fixture = await open();
    await fixture.rival(fixture.run, cancelRequested);
    fixture.journal.learn(4);
    await fixture.settled();
    expect(fixture.journal.state.current?.isCancelRequested).toBe(true);
    expect(fixture.heard.at(-1)).toMatchObject([{ revision: 4, type: 'run_cancel_requested' }]);
  });

  it('are not read where they are known already', async () => {
    const fixture = await open();
    fixture.journal.learn(3);
    expect(fixture.journal.isQuiet).toBe(true);
    expect(fixture.log.reads).toBe(0);
  });

  it('are waited for while the log cannot be read, before anything is decided', async () => {
    const fixture = await open();
    await fixture.rival('run_x', requested('first'));
    fixture.log.isReadable = false;
    fixture.journal.learn(4);
    const { seen, outcome } = startIn(fixture, 'run_b');
    expect(await fixture.clock.pass(200)).toBe(200);
    expect(await fixture.clock.timerWithin(200)).toBe(200);
    fixture.log.isReadable = true;
    fixture.clock.advance(200);
    await outcome;
    expect(seen).toEqual([{ next: 5, waiting: ['run_x'] }]);
  });
});

describe('an append that can never succeed', () => {
  it('is refused to all that were part of it, and the journal goes on', async () => {
    const fixture = await open();
    fixture.write({ type: 'agent_response', data: { content: 'x'.repeat(300_000) } });
    await expect(fixture.settled()).rejects.toThrow(EventTooLarge);
    expect(fixture.writer.lost).toBeInstanceOf(EventTooLarge);
    expect(fixture.aborts).toEqual([fixture.writer.lost]);
    await startIn(fixture, 'run_b').outcome;
    expect(await fixture.lines()).toEqual(['run_requested']);
  });
});
