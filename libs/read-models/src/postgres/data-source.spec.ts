import { describe, expect, it } from '@jest/globals';
import { versionProblem } from './data-source.js';

describe('the version of the database', () => {
  it.each(['15.0', '16.4 (Debian 16.4-1.pgdg120+1)', '18.4', '19beta1'])('may be %s', (version) =>
    expect(versionProblem(version)).toBeNull(),
  );

  it.each([
    ['14.2', '14.2'],
    ['9.6.24', '9.6.24'],
    ['', 'unknown'],
  ])('may not be %j', (version, named) =>
    expect(versionProblem(version)).toBe(`DATABASE_URL: PostgreSQL 15 or newer is needed, this is ${named}`),
  );
});
