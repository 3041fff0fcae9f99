import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FoundPattern, patternsIn } from './support/patterns/patterns-in.js';
import type { Outcome, Trial } from './support/patterns/trial-process.js';
import { functionsOnText } from './support/patterns/works.js';

/** What is put together at run time, and what holds it; a place that is not here fails. */
const PUT_TOGETHER: Readonly<Record<string, string>> = {
  'apps/demo-model/src/arithmetic.ts': 'a sum for the demo model',
  'libs/mcp/src/secret-mask.ts': 'what a tool server says',
  'libs/openai-model/src/refusals.ts': 'whether a refusal names a parameter',
  'libs/openai-model/src/tool-refusals.ts': 'whether a refusal names a tool',
  'libs/extraction/src/csv.ts': 'rows of CSV',
  'libs/knowledge/src/search/index-text.ts': 'words of a text for search',
  'libs/openai-model/src/thinking-tags.ts': 'thinking in an answer',
  'libs/json-schema/src/patterns.ts':
    'patterns of callers: those without a linear engine run in a process that may die (work-budget.spec.ts)',
};
/** Long beyond any that is linear: a pattern that does not end is killed and named. */
const HANGS_MS = 60_000 * (process.env['PATTERN_CHARS'] === undefined ? 1 : 8);

/** One process after the other: what does not end is killed, and the next one takes what comes. */
class Trials {
  private child: ChildProcess | null = null;
  private ended: Promise<null> = Promise.resolve(null);

  async slowOn(trial: Trial): Promise<string | null> {
    const child = this.child ?? this.started();
    const over = new AbortController();
    const hanging = AbortSignal.timeout(HANGS_MS);
    hanging.addEventListener('abort', () => child.kill('SIGKILL'), { signal: over.signal });
    const answered = new Promise<Outcome>((resolve) =>
      child.once('message', (told) => resolve(told as Outcome)),
    );
    child.send(trial);
    const answer = await Promise.race([answered, this.ended]);
    over.abort();
    if (answer !== null) return answer.slowOn;
    this.child = null;
    return 'did not come to an end';
  }

  private started(): ChildProcess {
    const child = fork('dist/test/support/patterns/trial-process.js');
    this.ended = once(child, 'exit').then(() => null);
    return (this.child = child);
  }

  close(): void {
    this.child?.kill('SIGKILL');
  }
}

const found = [...patternsIn('.', 'apps'), ...patternsIn('.', 'libs')];
let trials: Trials;
beforeAll(() => void (trials = new Trials()));
afterAll(() => trials.close());

describe('no pattern on a text of somebody else is slower than linear', () => {
  const literals = new Map<string, FoundPattern & { literal: { source: string; flags: string } }>();
  for (const { file, literal } of found)
    if (literal !== null) literals.set(`${file} /${literal.source}/${literal.flags}`, { file, literal });

  test('all of them are looked at', () => expect(literals.size).toBeGreaterThan(200));

  test.each([/=+$/, /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi])('%s would be told', async ({ source, flags }) => {
    expect(await trials.slowOn({ source, flags })).toMatch(/times as long|did not come/);
  });

  test.each([...literals])(
    '%s',
    async (_, { literal }) => {
      expect(await trials.slowOn(literal)).toBeNull();
    },
    2 * HANGS_MS,
  );

  test.each(Object.keys(functionsOnText))(
    '%s',
    async (name) => {
      expect(await trials.slowOn({ name })).toBeNull();
    },
    2 * HANGS_MS,
  );

  test('what is put together at run time is held by a function, or said why not', () => {
    const places = new Set(found.filter(({ literal }) => literal === null).map(({ file }) => file));
    expect([...places].sort()).toEqual(Object.keys(PUT_TOGETHER).sort());
  });
});
