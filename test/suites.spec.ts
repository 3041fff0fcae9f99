import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('the suites that are taken first are there', () => {
  const seconds = JSON.parse(readFileSync('.ci/long-suites.json', 'utf8')) as Record<string, number>;
  expect(Object.keys(seconds).filter((file) => !existsSync(file))).toEqual([]);
});
