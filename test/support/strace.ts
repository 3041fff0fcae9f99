import { execFileSync, spawn } from 'node:child_process';

let answer: boolean | undefined;

/** Whether strace is there and this system permits it. On CI it must be: there no test that needs it is left out. */
export function canTrace(): boolean {
  answer ??= process.platform === 'linux' && tries();
  if (!answer && process.env['CI'] === 'true')
    throw new Error('strace is missing, or ptrace is not permitted');
  return answer;
}

function tries(): boolean {
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=write', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface TracedEnd {
  /** What it wrote to its standard output. */
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Runs a compiled module of this checkout under strace. */
export function runTraced(
  flags: readonly string[],
  module: string,
  args: readonly string[],
): Promise<TracedEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn('strace', ['-f', ...flags, process.execPath, `dist/${module}`, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // One thread for files: the n-th call is the same one in every run.
      env: { PATH: process.env['PATH'] ?? '', UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' },
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ output, errors, code, signal }));
  });
}
