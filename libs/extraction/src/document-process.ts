import { serveRequests } from '#platform';
import type { PassageBatch } from './extractor.js';
import { extract } from './extract-passages.js';
import type { ReadAnswer } from './process-extractor.js';

/** The process in which files are read, one after the other, behind everything else that the machine has to do. */
serveRequests<null, ReadAnswer, PassageBatch>(async (_, content, give) => ({
  extraction: await extract(content, give),
  heldBytes: process.memoryUsage.rss(),
}));
