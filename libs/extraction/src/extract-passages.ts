import type { Extraction, PassageBatch } from './extractor.js';
import { languageOf } from './language.js';
import { type Passage, PassageMaker } from './passage.js';
import { readBlocks } from './read-file.js';
import { UnreadableFile } from './unreadable-file.js';
import { Warnings } from './warnings.js';

const BATCH = 200;
type Give = (batch: PassageBatch) => Promise<void>;

/** The passages of a file, a batch at a time. */
export async function extract(content: Uint8Array, filename: string, give: Give): Promise<Extraction> {
  try {
    return await extractPassages(content, filename, give);
  } catch (error) {
    if (error instanceof UnreadableFile)
      return { kind: 'unreadable', code: error.code, reason: error.reason };
    return { kind: 'unreadable', code: 'unprocessable', reason: 'the file is damaged' };
  }
}

async function extractPassages(content: Uint8Array, filename: string, give: Give): Promise<Extraction> {
  const maker = new PassageMaker();
  const warnings = new Warnings();
  let waiting: Passage[] = [];
  let language: string | null = null;
  let count = 0;
  let pages: number | null = null;
  const flush = async () => {
    if (waiting.length === 0) return;
    language ??= languageOf(waiting.map(({ text }) => text).join(' '));
    count += waiting.length;
    await give({ passages: waiting, language });
    waiting = [];
  };
  for await (const block of readBlocks(content, filename, warnings.add)) {
    maker.add({ ...block, text: cleaned(block.text) });
    if (block.page !== null) pages = Math.max(pages ?? 0, block.page);
    waiting.push(...maker.take());
    if (waiting.length >= BATCH) await flush();
  }
  maker.finish();
  waiting.push(...maker.take());
  await flush();
  return { kind: 'extracted', pages, passages: count, warnings: warnings.all() };
}

/** PostgreSQL takes neither U+0000 nor half characters, and no control character but tabs and line ends says anything. */
const cleaned = (text: string): string =>
  text.toWellFormed().replace(/\p{Cc}/gu, (control) => (/[\t\n\r]/.test(control) ? control : ' '));
