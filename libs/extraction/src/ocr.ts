import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OEM, createWorker } from 'tesseract.js';
import { unprocessable } from './unreadable-file.js';

/** A4 at 600 dots an inch has 35 million. Each takes some bytes while it is read. */
export const MAX_PIXELS = 40_000_000;
const require = createRequire(import.meta.url);

type Recogniser = Awaited<ReturnType<typeof createWorker>>;

let recogniser: Promise<Recogniser> | null = null;
let broke: ((error: unknown) => void) | null = null;

/** Of one file. Reading has an end after ten minutes, with all that was read until then. */
const MOST_MS = 7 * 60_000;
let spentMs = 0;

/** A file comes: it has all the time for its pictures. */
export function beginFile(): void {
  spentMs = 0;
}

/** Whether a file's pictures took less time than they may. */
export const hasTime = (): boolean => spentMs < MOST_MS;

/** Does something that pictures need, in their time. */
export async function spending<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  try {
    return await work();
  } finally {
    spentMs += performance.now() - begun;
  }
}

/** The text of an image, from top to bottom. Everything that it needs is in node_modules. @throws UnreadableFile */
export async function recognise(image: Uint8Array): Promise<string> {
  recogniser ??= open();
  const { promise, reject } = Promise.withResolvers<never>();
  broke = reject;
  try {
    const { data } = await Promise.race([(await recogniser).recognize(Buffer.from(image)), promise]);
    return data.text;
  } catch {
    recogniser = null;
    throw unprocessable('the image is damaged');
  }
}

/** The language model stands in a package of its own, compressed. */
function open(): Promise<Recogniser> {
  const data = dirname(require.resolve('@tesseract.js-data/eng/package.json'));
  return createWorker('eng', OEM.LSTM_ONLY, {
    langPath: join(data, '4.0.0_best_int'),
    cacheMethod: 'none',
    gzip: true,
    // It would be thrown where nobody can catch it.
    errorHandler: (error: unknown) => broke?.(error),
  });
}

/** Lines that hang together are a paragraph. */
export const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    // Specks and lines are read as single signs.
    .filter((paragraph) => /[\p{L}\p{N}]{2}/u.test(paragraph));
