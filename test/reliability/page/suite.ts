import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RowReport, Verdict } from '../verdict.js';
import { partNamed } from './rows.js';

interface JestResult {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
    readonly message: string;
  }[];
}

/**
 * Runs the tests that stand for a row of the page, and counts those that passed.
 * @throws Error where the row is no suite
 */
export function runSuite(name: string): Promise<RowReport> {
  const { spec } = partNamed(name);
  if (spec === undefined) throw new Error(`${name} is no suite`);
  return Promise.resolve(runSpec(name, spec));
}

function runSpec(name: string, spec: string): RowReport {
  const folder = mkdtempSync(join(tmpdir(), 'annals-suite-'));
  try {
    const out = join(folder, 'result.json');
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
    spawnSync(process.execPath, [...jest, spec, '--json', `--outputFile=${out}`], { stdio: 'ignore' });
    const result = JSON.parse(readFileSync(out, 'utf8')) as JestResult;
    const verdict = new Verdict();
    for (const { assertionResults, message } of result.testResults) {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      for (const { fullName } of failed) verdict.note(fullName);
      verdict.require(assertionResults.length > 0, () => message.slice(0, 300));
    }
    const { numPassedTests: faults, numPendingTests: skipped } = result;
    const line = `${name}: ${faults} tests passed, ${skipped} skipped, ${verdict.problems.length} failed`;
    return { faults, verdict, line };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
