import { parentPort } from 'node:worker_threads';
import type { Extraction, PassageBatch } from '../extractor.js';
import { languageOf } from '../language.js';
import { PassageMaker, type Passage } from '../passage.js';
import type { FromThread, ToThread } from './protocol.js';
import { readBlocks } from './read-file.js';
import { UnreadableFile } from './unreadable-file.js';
import { yieldToOthers } from './priority.js';
import { Warnings } from './warnings.js';

/** The thread in which files are read, one after the other, behind everything else that the machine has to do. */
const port = parentPort!;
const BATCH = 200;
let taken: PromiseWithResolvers<void> | null = null;

port.on('message', (message: ToThread) => {
  if (message.kind === 'taken') taken?.resolve();
  else void run(message.content);
});
yieldToOthers();

async function run(content: Uint8Array): Promise<void> {
  taken = null;
  const extraction = await extract(content);
  await (taken as PromiseWithResolvers<void> | null)?.promise;
  send({ kind: 'done', extraction });
}

async function extract(content: Uint8Array): Promise<Extraction> {
  try {
    return await extractPassages(content);
  } catch (error) {
    if (error instanceof UnreadableFile)
      return { kind: 'unreadable', code: error.code, reason: error.reason };
    return { kind: 'unreadable', code: 'unprocessable', reason: 'the file is damaged' };
  }
}

async function extractPassages(content: Uint8Array): Promise<Extraction> {
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
  for await (const block of readBlocks(content, warnings.add)) {
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

/** One batch is on its way while the next is made. */
async function give(batch: PassageBatch): Promise<void> {
  await taken?.promise;
  taken = Promise.withResolvers<void>();
  send({ kind: 'passages', batch });
}

const send = (message: FromThread): void => port.postMessage(message);

/** PostgreSQL takes neither U+0000 nor half characters, and no control character but tabs and line ends says anything. */
const cleaned = (text: string): string =>
  text.toWellFormed().replace(/\p{Cc}/gu, (control) => (/[\t\n\r]/.test(control) ? control : ' '));
