import { execFileSync } from 'node:child_process';

/** A number that is another one for each commit, so that short runs look elsewhere each time. */
export function numberOfCommit(): number {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }), 16);
  } catch {
    return 0;
  }
}
