import { Turns } from '../parts/turns.js';
import { unreachable } from './problem.js';

/**
 * Hands over each whole line of an answer, without its line feed, until `take` wants no more.
 * @returns whether something stands behind the last line feed
 * @throws ApiProblem where it breaks off; a DOMException where `signal` aborts; a TypeError where it is not UTF-8
 */
export async function readLines(
  answer: Response,
  signal: AbortSignal,
  take: (line: string) => boolean,
): Promise<boolean> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const turns = new Turns();
  let rest = '';
  for (;;) {
    const { done, value } = (await reader?.read().catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw unreachable();
    })) ?? { done: true, value: undefined };
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!take(line)) {
        await reader?.cancel();
        return false;
      }
      if (turns.isOver) await turns.next();
      signal.throwIfAborted();
    }
    if (done) return rest !== '';
  }
}
