import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Figures, addedTo } from './figures.js';
import { type PageContents, pageOf } from './page.js';
import { PARTS, partNamed } from './rows.js';
import { readStories } from './stories.js';

const figures = (more: Partial<Figures>): Figures => ({
  part: 'F4-kills',
  commit: '1111111111',
  product: 'now',
  date: '2026-11-21T16:00:00.000Z',
  seconds: 60,
  command: 'npm run test:reliability -- --kills 20 --seed 1',
  faults: 20,
  acknowledged: 12_345,
  lost: 0,
  doubled: 0,
  reordered: 0,
  problems: [],
  ready: { times: 20, median: 610, worst: 920 },
  gaps: { times: 7, median: 700, worst: 1_500 },
  more: { 'runs under random kills': '300' },
  ever: { runs: 3, faults: 1_060, problems: 0 },
  ...more,
});

const page = (more: Partial<PageContents> = {}): string =>
  pageOf({
    parts: PARTS,
    figures: [figures({})],
    checkout: { commit: '1111111111', product: 'now' },
    stories: { tapes: [], bugs: [] },
    date: '2026-11-21T16:05:00.000Z',
    ...more,
  });

const lineOf = (text: string, start: string): string =>
  text.split('\n').find((line) => line.startsWith(start)) ?? '';

describe('the page', () => {
  it('gives each zero with the number of faults behind it, and the times', () => {
    expect(lineOf(page(), '| F4 | The process dies at random')).toBe(
      '| F4 | The process dies at random under load, on one data folder | 20 kills (1,060 over 3 runs, 0 problems) ' +
        '| 12,345 | 0 | 0, 0 | 0 | `1111111111` 2026-11-21 |',
    );
    expect(lineOf(page(), '| F4-kills | 20')).toBe(
      '| F4-kills | 20 | 0.61 s | 0.92 s | 7 | 0.70 s | 1.50 s |',
    );
  });

  it('says of every row that it was not run at this commit where it was not', () => {
    const old = page({ figures: [figures({ product: 'before', commit: '0000000000' })] });
    expect(lineOf(old, '| F4 | The process dies at random')).toContain(
      '| not run at this commit; last at `0000000000`: 20 kills (1,060 over 3 runs, 0 problems) |',
    );
    expect(old.match(/not run at this commit/g)).toHaveLength(PARTS.length);
    expect(old).toContain(`0 of ${PARTS.length} rows were run`);
  });

  it('tells problems instead of hiding them', () => {
    const bad = page({ figures: [figures({ lost: 2, problems: ['run_1 has | two ends'] })] });
    expect(lineOf(bad, '| F4 | The process dies at random')).toContain(
      '| 2 | 0, 0 | **1**: run_1 has \\| two ends |',
    );
    expect(bad).toContain('12,345 events shown, 2 lost, 0 doubled, 0 re-ordered, 1 other problems');
  });

  it('adds up the runs of one product, each of them once', () => {
    const first = figures({ faults: 500, command: 'a', ready: { times: 500, median: 900, worst: 2_000 } });
    const second = figures({ faults: 300, command: 'b', lost: 1, gaps: null, problems: ['lost one'] });
    const both = addedTo(first, second);
    expect(both).toMatchObject({ faults: 800, acknowledged: 24_690, lost: 1, problems: ['lost one'] });
    expect(both.ready).toEqual({ times: 520, median: 900, worst: 2_000 });
    expect(both.gaps).toEqual(first.gaps);
    const third = addedTo(both, figures({ faults: 7, command: 'c' }));
    expect(third.earlier?.map(({ command, faults }) => [command, faults])).toEqual([
      ['a', 500],
      ['b', 300],
    ]);
    expect(third.faults).toBe(807);
    expect(lineOf(page({ figures: [third] }), '| F4 | The process dies at random')).toContain(
      '807 kills in 3 runs (1,060 over 3 runs, 0 problems)',
    );
    const again = figures({ faults: 300, command: 'b' });
    expect(addedTo(third, again)).toBe(again);
    const other = figures({ product: 'next', command: 'd' });
    expect(addedTo(third, other)).toBe(other);
    const uncommitted = figures({ product: 'now+', command: 'd' });
    expect(addedTo(figures({ product: 'now+' }), uncommitted)).toBe(uncommitted);
  });

  it('names every tape that failed once', () => {
    const { tapes } = readStories();
    const text = page({ stories: readStories() });
    expect(tapes.length).toBeGreaterThan(5);
    for (const { name } of tapes) expect(text).toContain(`| \`${name}\` |`);
  });
});

describe('the rows', () => {
  it('are of every fault from F1 to F22, each under a name of its own', () => {
    const names = PARTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    // F9 is done with the replicas of F4.
    const rows = new Set([...names.map((name) => Number(/^F(\d+)-/.exec(name)?.[1])), 9]);
    expect([...rows].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 22 }, (_, n) => n + 1));
  });

  it('name only commands that are there', () => {
    const main = readFileSync('test/reliability/main.ts', 'utf8');
    const repeats = PARTS.map(({ repeat }) => repeat ?? '').filter((repeat) =>
      repeat.includes(':reliability'),
    );
    expect(repeats.length).toBeGreaterThan(15);
    for (const repeat of repeats) {
      const option = /-- --([a-z-]+)/.exec(repeat)?.[1];
      expect([repeat, main.includes(`  --${option} `)]).toEqual([repeat, true]);
    }
    for (const { spec } of PARTS.filter((part) => part.spec !== undefined))
      expect([spec, suitesLike(spec ?? '')]).not.toEqual([spec, []]);
  });

  it('refuse figures of what they do not name', () => {
    expect(() => partNamed('F21-nothing')).toThrow(/rows\.ts/);
  });
});

/** As Jest takes a pattern. */
const suitesLike = (pattern: string): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) =>
    new RegExp(pattern).test(`test/${name}`),
  );
