import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CampaignResult } from './campaign.js';

/** What `npm run sim` runs. */
const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));
/** A worker that crashes leaves work behind that nothing ends, and its world with it: a process plays no more than so many. */
export const MOST_OF_ONE = 25_000;
/** Room for a few hundred failures with their details. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Plays seeds in several processes at once, range after range, and adds up what they counted.
 * @param options of the campaign, as on the command line
 * @throws Error where a process ended without a result
 */
export async function sideBySide(
  processes: number,
  { from, seeds }: { readonly from: number; readonly seeds: number },
  options: readonly string[],
): Promise<CampaignResult> {
  const share = Math.min(MOST_OF_ONE, Math.ceil(seeds / processes));
  const ranges = Array.from({ length: Math.ceil(seeds / share) }, (_, i) => i * share).values();
  const results: CampaignResult[] = [];
  const playAll = async (): Promise<void> => {
    for (const first of ranges) {
      const range = [`--seeds=${Math.min(share, seeds - first)}`, `--from=${from + first}`];
      results.push(await campaignOfItsOwn([...range, ...options]));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: processes }, playAll));
  return { ...sumOf(results), from, seconds: (performance.now() - began) / 1000 };
}

async function campaignOfItsOwn(options: readonly string[]): Promise<CampaignResult> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(
      process.execPath,
      [MAIN, '--json', ...options],
      { maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout) => {
        // It ends with 1 where seeds have failed, and tells which.
        if (error === null || error.code === 1) resolve(stdout);
        else reject(error);
      },
    );
  });
  return JSON.parse(output) as CampaignResult;
}

function sumOf(
  results: readonly CampaignResult[],
): Pick<CampaignResult, 'seeds' | 'steps' | 'failures' | 'marks'> {
  const marks: Record<string, number> = {};
  for (const result of results)
    for (const [mark, times] of Object.entries(result.marks)) marks[mark] = (marks[mark] ?? 0) + times;
  return {
    seeds: results.reduce((sum, result) => sum + result.seeds, 0),
    steps: results.reduce((sum, result) => sum + result.steps, 0),
    failures: results.flatMap((result) => result.failures),
    marks,
  };
}
