import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { besideStreams } from './beside-streams.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { textPdf } from '../support/pdf-files.js';

/**
 * Documents: the text of a PDF of 500 pages, from the upload until it is indexed, and how long it keeps the event loop
 * from its other work meanwhile; then 20 uploads at once and one of 50 MB, with the memory of all processes; then the same
 * PDF beside 200 streams.
 */
const PAGES = 500;
/** Of the streams beside it. */
const ROUNDS = 5;
const FIXTURES = 'test/fixtures/documents';

export async function run(): Promise<void> {
  const house = await KnowledgeHouse.open();
  const client = new KnowledgeClient(() => house.origin);
  try {
    const datastore = await client.documents();
    await client.upload(datastore, 'first.txt', 'the thread and the tables are there');
    await largeFile(client, datastore);
    await manyUploads(client, datastore);
    await largeText(client, datastore);
  } finally {
    await house.close();
  }
  const pdfs = Array.from({ length: ROUNDS }, (_, nth) => largePdf(nth));
  await besideStreams(pdfs.length, async (service, key, round) => {
    const beside = new KnowledgeClient(() => service.origin, '', key);
    const datastore = await beside.documents();
    await indexed(beside, await beside.upload(datastore, 'large.pdf', pdfs[round] ?? ''));
  });
}

/** Another one for each number. */
const largePdf = (nth: number): Buffer =>
  textPdf(PAGES, (readFileSync('README.md', 'utf8').match(/[A-Za-z]{2,12}/g) ?? ['word']).slice(nth));

async function largeFile(client: KnowledgeClient, datastore: string): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const pdf = largePdf(0);
  delay.enable();
  const since = performance.now();
  await indexed(client, await client.upload(datastore, 'large.pdf', pdf));
  const seconds = (performance.now() - since) / 1000;
  delay.disable();
  const ms = (share: number) => (delay.percentile(share) / 1e6).toFixed(1);
  console.log(`PDF of ${PAGES} pages indexed in ${seconds.toFixed(1)} s`);
  console.log(`event loop meanwhile: p50 ${ms(50)} ms, p99 ${ms(99)} ms, longest ${ms(100)} ms`);
}

async function manyUploads(client: KnowledgeClient, datastore: string): Promise<void> {
  const files = readdirSync(FIXTURES).filter((name) => name !== 'locked.pdf');
  const peak = watchMemory();
  const since = performance.now();
  const uploads = Array.from({ length: 20 }, async (_, i) => {
    const name = files[i % files.length] ?? '';
    await indexed(client, await client.upload(datastore, `${i} ${name}`, readFileSync(join(FIXTURES, name))));
  });
  await Promise.all(uploads);
  console.log(`20 uploads at once (Office, PDF, OCR): ${((performance.now() - since) / 1000).toFixed(1)} s`);
  console.log(`memory of all processes at most ${await peak()} MB`);
}

async function largeText(client: KnowledgeClient, datastore: string): Promise<void> {
  const text = Buffer.alloc(49 * 1024 * 1024, 'The pump stands beside the well and the well is deep. \n\n');
  const heap = process.memoryUsage().heapUsed;
  let most = heap;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 20);
  const peak = watchMemory();
  const { body } = await client.upload(datastore, 'large.txt', text);
  clearInterval(timer);
  console.log(`49 MB of text taken in: heap +${((most - heap) / 1e6).toFixed(0)} MB (client included)`);
  await client.ask('DELETE', `/documents/${String(body['document_id'])}`);
  console.log(`memory of all processes at most ${await peak()} MB`);
}

async function indexed(client: KnowledgeClient, { body }: { body: Record<string, unknown> }): Promise<void> {
  for (let { status } = body; status !== 'indexed';) {
    if (status !== 'processing') throw new Error(JSON.stringify(body));
    await sleep(50);
    ({ status } = (await client.ask('GET', `/documents/${String(body['document_id'])}`)).body);
  }
}

/** Returns what the most was of this process and all below it, in MB. */
function watchMemory(): () => Promise<number> {
  let most = 0;
  const done = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted) {
      most = Math.max(most, residentMb());
      await sleep(50);
    }
  })();
  return async () => {
    done.abort();
    await watching;
    return Math.round(most);
  };
}

/** Shares of memory that processes have in common are counted once (Linux: Pss). */
function residentMb(): number {
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(contentOf(`/proc/${pid}/stat`))?.[1];
    parents.set(Number(pid), Number(parent));
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  return [...parents.keys()]
    .filter(isOurs)
    .map((pid) => Number(/^Pss:\s+(\d+)/m.exec(contentOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024)
    .reduce((sum, mb) => sum + mb, 0);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
