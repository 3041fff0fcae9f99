import { describe, expect, it } from '@jest/globals';
import type { TaskEnd } from './task-end.js';
import { ResultRoom, TaskNotes } from './task-notes.js';

const task = (id: string) => ({ id, poll_ms: 1_000, started_at: 5_000 });
const ended = (text: string): TaskEnd => ({ kind: 'completed', result: { text } });

describe('notes of tasks', () => {
  it('are of one task at one server, and begin as the server wanted', () => {
    const notes = new TaskNotes();
    const note = notes.of('a', task('t1'), 5_200);
    expect(note).toMatchObject({ heardAt: 5_200, dueAt: 6_000, pauseMs: 1_000 });
    expect(notes.of('a', task('t1'), 9_000)).toBe(note);
    expect(notes.of('b', task('t1'), 9_000)).not.toBe(note);
  });

  it('give an end once, and the newest', () => {
    const notes = new TaskNotes();
    notes.keep('a', task('t1'), ended('old'));
    notes.keep('a', task('t1'), ended('new'));
    expect(notes.take('b', task('t1'))).toBeNull();
    expect(notes.take('a', task('t1'))).toEqual(ended('new'));
    expect(notes.take('a', task('t1'))).toBeNull();
  });

  it('share room with those of other runs, and give it back', () => {
    const room = new ResultRoom(200);
    const [one, two] = [new TaskNotes(room), new TaskNotes(room)];
    one.keep('a', task('t1'), ended('x'.repeat(50)));
    two.keep('a', task('t1'), ended('y'));
    expect(two.take('a', task('t1'))).toBeNull();
    one.clear();
    two.keep('a', task('t1'), ended('y'));
    expect(two.take('a', task('t1'))).toEqual(ended('y'));
    two.keep('a', task('t1'), ended('x'.repeat(50)));
    expect(two.take('a', task('t1'))).not.toBeNull();
  });
});
