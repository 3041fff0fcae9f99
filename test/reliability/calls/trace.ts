/** Reads what strace has written with `-f -xx`: the calls of all threads, in the order in which they began and ended. */

/** Every call by which the log, the file store or the keys change a disk, and those that say what a descriptor is. */
export const TRACED = `
  openat close write pwrite64 ftruncate fsync fdatasync
  rename link unlink mkdir rmdir renameat renameat2 linkat unlinkat mkdirat
  open creat truncate symlink symlinkat writev pwritev pwritev2 fallocate copy_file_range sendfile dup dup2 dup3`
  .trim()
  .split(/\s+/);

/** The same call with a folder to start from; there is none where the path is a whole one. */
const SAME: Readonly<Record<string, string>> = {
  renameat: 'rename',
  renameat2: 'rename',
  linkat: 'link',
  unlinkat: 'unlink',
  mkdirat: 'mkdir',
};

export interface Call {
  readonly name: string;
  /** As strace shows them; text as the bytes that it stands for. */
  readonly args: readonly (string | Buffer)[];
  /** Negative: it failed. Null: the process died in it, and it was not carried out. */
  readonly result: number | null;
  readonly isInjected: boolean;
}

export interface Step {
  readonly at: 'begin' | 'end';
  readonly call: Call;
}

const LINE = /^(\d+) +(.*)$/;
const RESUMED = /^<\.\.\. \w+ resumed>(.*)$/;
const UNFINISHED = ' <unfinished ...>';
const WHOLE = /^(\w+)\((.*)\) += (-?\d+|\?)(.*)$/;

export function stepsIn(trace: string): Step[] {
  const steps: (Step | null)[] = [];
  const open = new Map<string, { text: string; at: number }>();
  for (const line of trace.split('\n')) {
    const [, pid = '', text = ''] = LINE.exec(line) ?? [];
    const resumed = RESUMED.exec(text);
    if (text.endsWith(UNFINISHED)) {
      open.set(pid, { text: text.slice(0, -UNFINISHED.length), at: steps.length });
      steps.push(null);
    } else if (resumed !== null) {
      const begun = open.get(pid);
      open.delete(pid);
      const call = begun && callOf(begun.text + resumed[1]);
      if (call === undefined || begun === undefined) continue;
      steps[begun.at] = { at: 'begin', call };
      steps.push({ at: 'end', call });
    } else {
      const call = callOf(text);
      if (call !== undefined) steps.push({ at: 'begin', call }, { at: 'end', call });
    }
  }
  return steps.filter((step) => step !== null);
}

function callOf(text: string): Call | undefined {
  const found = WHOLE.exec(text);
  if (found === null) return undefined;
  const [, name = '', args = '', result = '', rest = ''] = found;
  return {
    name: SAME[name] ?? name,
    args: args
      .split(', ')
      .filter((arg) => arg !== 'AT_FDCWD')
      .map(argument),
    result: result === '?' ? null : Number(result),
    isInjected: rest.endsWith('(INJECTED)'),
  };
}

function argument(text: string): string | Buffer {
  if (!text.startsWith('"')) return text;
  if (!text.endsWith('"')) throw new Error(`strace has cut ${text.slice(-40)}`);
  return Buffer.from(text.slice(1, -1).replaceAll('\\x', ''), 'hex');
}
