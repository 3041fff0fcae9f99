import { SingleBar } from 'cli-progress';

/** Where there is no terminal, a line that often. */
const LINE_MS = 5_000;

/** Says how far the work is. A total that grew meanwhile comes with it. */
export type ShowProgress = (value: number, total?: number) => void;

/** A bar on standard error, from 0 to `total`, for as long as the work takes; lines where that is no terminal. */
export async function withProgress<T>(
  total: number,
  work: (show: ShowProgress) => Promise<T>,
  stream: NodeJS.WritableStream = process.stderr,
): Promise<T> {
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {value} of {total} | {eta_formatted} left',
    stream,
    noTTYOutput: true,
    notTTYSchedule: LINE_MS,
  });
  bar.start(Math.max(1, total), 0);
  try {
    return await work((value, grown) => {
      if (grown !== undefined) bar.setTotal(Math.max(1, grown));
      bar.update(value);
    });
  } finally {
    bar.stop();
  }
}
