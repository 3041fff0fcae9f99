import { readFileSync } from 'node:fs';

/** What a package runner (npm, npx, pnpm, yarn) tells a process that it starts. */
interface RunnerSettings {
  readonly npm_lifecycle_script?: string;
}

/** A script of package.json, or `npx`, that runs this very program, and not one that starts it by the way. */
const RUNS_ANNALS = /\bannals\b|\.ci\/start\.mjs/;

/** Where a process stands: its parent, and that of a shell between it and the runner. */
interface Ancestors {
  readonly parent: number;
  /** null: there is no shell between, or the system does not say. */
  readonly runner: number | null;
}

/**
 * npm or npx around this process, and the shell that they put between. They do not always hand on what they are told
 * (SIGHUP is never, SIGKILL cannot be, and a shell that is told to end leaves its child behind), so it is looked whether
 * they are there. Owns nothing but what it saw at the start.
 */
export class Wrapper {
  private readonly before: Ancestors;

  private constructor(private readonly seen: () => Ancestors) {
    this.before = seen();
  }

  /** null: nobody is around this process whose end means its own. */
  static find(
    env: RunnerSettings = process.env,
    seen: () => Ancestors = () => ancestorsOf(process.ppid),
  ): Wrapper | null {
    return RUNS_ANNALS.test(env.npm_lifecycle_script ?? '') ? new Wrapper(seen) : null;
  }

  /** Whoever started this process has ended: another one is its parent now, or that of the shell between. */
  get isGone(): boolean {
    const { parent, runner } = this.seen();
    return parent !== this.before.parent || runner !== this.before.runner;
  }
}

function ancestorsOf(parent: number): Ancestors {
  try {
    const isShell = readFileSync(`/proc/${parent}/cmdline`, 'utf8').split('\0')[1] === '-c';
    return { parent, runner: isShell ? parentOf(parent) : null };
  } catch {
    return { parent, runner: null };
  }
}

/** The second field after the name, which stands in parentheses and may hold anything. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
