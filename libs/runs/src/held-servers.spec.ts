import { describe, expect, it } from '@jest/globals';
import { HeldServers } from './held-servers.js';

describe('the tool servers of runs that wait', () => {
  it('are let go, the oldest of the largest project first, where they are too large together', () => {
    const held = new HeldServers(100);
    expect(held.hold('small', { project: 'p', bytes: 30 })).toEqual([]);
    expect(held.hold('old', { project: 'q', bytes: 35 })).toEqual([]);
    expect(held.hold('new', { project: 'q', bytes: 35 })).toEqual([]);
    expect(held.hold('newest', { project: 'q', bytes: 60 })).toEqual(['old', 'new']);
    expect(held.hold('other', { project: 'p', bytes: 10 })).toEqual([]);
  });

  it('count no more when the run goes on', () => {
    const held = new HeldServers(100);
    held.hold('a', { project: 'p', bytes: 60 });
    held.release('a');
    held.hold('b', { project: 'p', bytes: 60 });
    expect(held.hold('b', { project: 'p', bytes: 70 })).toEqual([]);
    expect(held.hold('c', { project: 'p', bytes: 40 })).toEqual(['b']);
  });

  it('are let go at once where those of one run are too large alone', () => {
    expect(new HeldServers(100).hold('a', { project: 'p', bytes: 101 })).toEqual(['a']);
  });
});
