import { readFileSync } from 'node:fs';

/** Ids of the processes that a process has started and that run such a file. Without /proc there is nothing to see. */
export function childrenOf(parent: number, file: string): number[] {
  return contentOf(`/proc/${parent}/task/${parent}/children`)
    .split(' ')
    .map(Number)
    .filter((pid) => pid > 0 && contentOf(`/proc/${pid}/cmdline`).includes(file));
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
