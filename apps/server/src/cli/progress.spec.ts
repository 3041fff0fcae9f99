import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { withProgress } from './progress.js';

/** The test's own among them. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const shown = (stream: PassThrough): string => String(stream.read() ?? '');

test('shows how far the work came, of a total that grew meanwhile, and gives its result', async () => {
  const stream = new PassThrough();
  const work = async (show: (value: number, total?: number) => void): Promise<string> => {
    show(1);
    show(5, 20);
    return 'done';
  };
  expect(await withProgress(10, work, stream)).toBe('done');
  expect(shown(stream)).toMatch(/25% \| 5 of 20 \|/);
});

test('ends with work that fails, at what it had reached', async () => {
  const stream = new PassThrough();
  const before = timers();
  const failing = withProgress(
    10,
    async (show) => {
      show(3);
      throw new Error('the disk is full');
    },
    stream,
  );
  await expect(failing).rejects.toThrow('the disk is full');
  expect(shown(stream)).toMatch(/30% \| 3 of 10 \|/);
  expect(timers()).toBe(before);
});
