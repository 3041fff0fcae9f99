import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decideOpen } from '#domain';
import { JournalFixture, META } from '../../../../test/support/journal-fixture.js';
import { heldBy } from '../../../../test/support/scripted-log.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import {
  PROJECT,
  cancelRequested,
  requested,
  responseStart,
  runRequest,
  step,
} from '../../../../test/support/session-tape.js';
import { TempLog } from '../../../../test/support/temp-log.js';

let temp: TempLog;
let count = 0;
const open = () => JournalFixture.open(temp, `ses_j${++count}`);

beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const FIRST = ['session_opened', 'run_requested', 'run_claimed', 'agent_started'];

describe('a command', () => {
  it('is on the log, and heard of, when it resolves', async () => {
    const fixture = new JournalFixture(temp, 'ses_command');
    const value = await fixture.journal.command(META, (state, next) => ({
      events: decideOpen(state, runRequest(fixture.run), { worker: 'w1', hasRoom: true }) ?? [],
      value: { next, project: state.project },
    }));
    expect(value).toEqual({ next: 0, project: null });
    expect(fixture.log.appends).toMatchObject([{ expected: 'no_stream', types: FIRST }]);
    expect(await temp.typesOf(fixture.stream)).toEqual(FIRST);
    expect(fixture.heard.map((events) => events.map((e) => e.revision))).toEqual([[0, 1, 2, 3]]);
    expect(fixture.journal.revision).toBe(3);
    expect(fixture.journal.state).toMatchObject({
      project: PROJECT,
      current: { run: fixture.run, epoch: 1 },
    });
  });

  it('writes the envelope that it is given, a draft naming its own run', async () => {
    const fixture = await open();
    await fixture.journal.command({ ...META, actor: 'key_9', correlationId: 'req_1' }, () => ({
      events: [
        { ...cancelRequested, run: fixture.run },
        { type: 'messages_cleared', data: {} },
      ],
      value: null,
    }));
    const events = (await temp.read(fixture.stream)).slice(4);
    const meta = { schemaVersion: 1, project: PROJECT, actor: 'key_9', correlationId: 'req_1' };
    expect(events.map((e) => e.meta)).toEqual([{ ...meta, run: fixture.run }, meta]);
    expect(events.map((e) => [e.json, e.time])).toEqual([
      ['{}', 1_000_000],
      ['{}', 1_000_000],
    ]);
    const ids = (await temp.read(fixture.stream)).map((e) => e.id);
    expect(new Set(ids).size).toBe(6);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('that has nothing to write resolves without an append', async () => {
    const fixture = await open();
    await expect(fixture.journal.command(META, () => ({ events: [], value: 7 }))).resolves.toBe(7);
    expect(fixture.log.appends).toHaveLength(1);
  });

  it('that is refused writes nothing, and those beside it are written', async () => {
    const fixture = await open();
    const refused = fixture.journal.command(META, () => {
      throw new Error('no');
    });
    const drafts = [{ ...cancelRequested, run: fixture.run }];
    const other = fixture.journal.command(META, () => ({ events: drafts, value: 'yes' }));
    fixture.write(step(1));
    await expect(refused).rejects.toThrow('no');
    await expect(other).resolves.toBe('yes');
    await fixture.settled();
    expect(await fixture.lines()).toEqual(['run_cancel_requested', 'agent_step']);
  });

  it('is decided on what stands before it in the same append', async () => {
    const fixture = await open();
    const start = (run: string) =>
      fixture.journal.command({ ...META, run }, (state, next) => ({
        events: [{ ...requested(run), run }],
        value: { next, waiting: state.waiting.map((w) => w.run) },
      }));
    const both = await Promise.all([start('run_b'), start('run_c')]);
    expect(both).toEqual([
      { next: 4, waiting: [] },
      { next: 5, waiting: ['run_b'] },
    ]);
    expect(fixture.log.appends).toHaveLength(2);
  });
});

describe('what a run writes', () => {
  it('goes into one append where it was written together', async () => {
    const fixture = await open();
    fixture.write(responseStart);
    fixture.writeText('6 x');
    fixture.write(step(1));
    await fixture.settled();
    expect(fixture.log.appends[1]).toMatchObject({
      expected: 3,
      types: ['agent_response_start', 'agent_response', 'agent_step'],
    });
  });

  it('waits while an append is in flight, and its pieces become one event', async () => {
    const fixture = await open();
    const gate = new Gate();
    fixture.log.next(heldBy(gate));
    fixture.write(responseStart);
    fixture.writeText('6 x 7');
    await gate.reached;
    for (const piece of [' is', ' 42', '.']) fixture.writeText(piece);
    fixture.write(step(1));
    const settled = fixture.settled();
    expect(fixture.log.inFlight).toBe(1);
    expect(await fixture.lines()).toEqual([]);
    gate.open();
    await settled;
    expect(await fixture.lines()).toEqual([
      'agent_response_start',
      'agent_response 6 x 7',
      'agent_response  is 42.',
      'agent_step',
    ]);
    expect(fixture.log.appends).toHaveLength(3);
    expect(fixture.log.mostInFlight).toBe(1);
  });

  it('is merged only within a block', async () => {
    const fixture = await open();
    fixture.writeText('a', 'agent_thinking');
    fixture.writeText('b', 'agent_thinking');
    fixture.writeText('c');
    fixture.write(step(1));
    fixture.writeText('d');
    await fixture.settled();
    expect(await fixture.lines()).toEqual([
      'agent_thinking ab',
      'agent_response c',
      'agent_step',
      'agent_response d',
    ]);
  });

  it('is heard of in order, each event once, and only when it is committed', async () => {
    const fixture = await open();
    const gate = new Gate();
    fixture.log.next(heldBy(gate));
    fixture.writeText('a');
    await gate.reached;
    expect(fixture.heard).toHaveLength(1);
    fixture.writeText('b');
    gate.open();
    await fixture.settled();
    expect(fixture.heard.flat().map((e) => e.revision)).toEqual([0, 1, 2, 3, 4, 5]);
    const onLog = await temp.read(fixture.stream);
    expect(fixture.heard.flat().map((e) => [e.id, e.json])).toEqual(onLog.map((e) => [e.id, e.json]));
  });

  it('is split where it is long, never within a code point', async () => {
    const fixture = await open();
    const text = `${'x'.repeat(23_999)}${'😀'.repeat(20_000)}`;
    fixture.writeText(text.slice(0, 10));
    fixture.writeText(text.slice(10));
    await fixture.settled();
    const pieces = (await temp.read(fixture.stream))
      .slice(4)
      .map((e) => (e.data as { content: string }).content);
    expect(pieces.map((p) => p.length)).toEqual([23_999, 24_000, 16_000]);
    expect(pieces.join('')).toBe(text);
    expect(pieces.every((p) => p.isWellFormed())).toBe(true);
  });

  it('goes into several appends where many small events wait', async () => {
    const fixture = await open();
    const gate = new Gate();
    fixture.log.next(heldBy(gate));
    for (let n = 1; n <= 15_000; n++) fixture.write(step(n));
    const settled = fixture.settled();
    gate.open();
    await settled;
    expect(await fixture.lines()).toHaveLength(15_000);
  });
});

describe('whoever waits for the journal', () => {
  it('need not wait where it is quiet', async () => {
    const fixture = await open();
    expect(fixture.journal.isQuiet).toBe(true);
    await fixture.settled();
    fixture.writeText('a');
    expect(fixture.journal.isQuiet).toBe(false);
    await fixture.settled();
    expect(await fixture.lines()).toEqual(['agent_response a']);
  });

  it('is held back while an append of text waits, and goes on when it has left', async () => {
    const fixture = await open();
    const gate = new Gate();
    fixture.log.next(heldBy(gate));
    fixture.write(responseStart);
    await gate.reached;
    const piece = 'y'.repeat(100_000);
    while (fixture.journal.hasRoom) fixture.writeText(piece);
    let hasRoom = false;
    const room = fixture.journal.room().then(() => (hasRoom = true));
    await new Promise(setImmediate);
    expect(hasRoom).toBe(false);
    gate.open();
    await room;
    await fixture.settled();
    const texts = (await fixture.lines()).slice(1).map((line) => line.replace('agent_response ', ''));
    expect(texts.join('')).toBe(piece.repeat(10));
    expect(fixture.failures).toEqual([]);
    for (const { events } of fixture.log.appends) {
      expect(events.reduce((sum, e) => sum + e.json.length, 0)).toBeLessThan(900 * 1024);
    }
  });
});
