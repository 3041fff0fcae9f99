import { serveRequests } from '#platform';
import type { PassageBatch } from './extractor.js';
import { extract } from './extract-passages.js';
import type { ReadAnswer, ReadRequest } from './process-extractor.js';

/** The process in which files are read, one after the other, behind everything else that the machine has to do. */
serveRequests<ReadRequest, ReadAnswer, PassageBatch>(async ({ filename }, content, give) => ({
  extraction: await extract(content, filename, give),
  heldBytes: process.memoryUsage.rss(),
}));
