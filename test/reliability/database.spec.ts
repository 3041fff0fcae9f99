import { expect, it } from '@jest/globals';
import { databaseKills } from './database-kills.js';
import { say } from './verdict.js';

const KILLS = Number(process.env['DATABASE_KILLS'] ?? 2);

it('runs on without its database, and has the same lists when that is back, whatever became of its folder', async () => {
  const { verdict, line } = await databaseKills(KILLS);
  say(line);
  expect(verdict.problems).toEqual([]);
}, 600_000);
