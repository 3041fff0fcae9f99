import { numberOfCommit } from '../support/commit-number.js';
import { type CampaignResult, summaryOf } from './campaign.js';
import { simulate } from './planting.js';

/** New ones for every commit, so that what one of them finds can be played again by anyone. */
export const FIRST_SEED = Number(process.env['SIM_SEED'] ?? numberOfCommit() * 10_000);

/** The worlds are played by compiled code in a process of their own, several times as fast as within the test runner. */
export const play = (...args: string[]): Promise<CampaignResult> => simulate(process.cwd(), args);

/** @throws Error with what failed, and how to play it again */
export async function playWell(...args: string[]): Promise<CampaignResult> {
  const result = await play(...args);
  if (result.failures.length > 0) throw new Error(`npm run sim -- --seed N --shrink\n${summaryOf(result)}`);
  return result;
}
