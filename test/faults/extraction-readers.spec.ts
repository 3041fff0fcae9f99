import { readFileSync } from 'node:fs';
import { kill } from 'node:process';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Extraction, ProcessExtractor, type Reading } from '#extraction';
import { type Readers, SystemClock } from '#platform';
import { scanPdf, textPdf } from '../support/pdf-files.js';
import { pngOf } from '../support/png-files.js';
import { readingOf } from '../support/reading-of.js';
import { memoryOf } from '../support/service-process.js';
import { until } from '../support/until.js';

const MEGABYTE = 1024 * 1024;
const image = readFileSync('test/fixtures/documents/note.jpg');
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const note = utf8('a note');
const largest = (): Buffer => pngOf({ width: 6_300, height: 6_300 });

const opened: ProcessExtractor[] = [];
const open = (readers: Partial<Readers> = {}): ProcessExtractor => {
  const one = new ProcessExtractor(new SystemClock(), { readers: { count: 1, memoryMb: 1024, ...readers } });
  opened.push(one);
  return one;
};
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const reasonOf = (extraction: Extraction): string =>
  extraction.kind === 'unreadable' ? extraction.reason : 'it was read';

/** A file whose beginning is seen. */
function watched(bytes: Uint8Array, project = 'p') {
  const begun = Promise.withResolvers<null>();
  const reading: Reading = {
    ...readingOf(bytes, undefined, project),
    begin: () => {
      begun.resolve(null);
      return begun.promise;
    },
  };
  return { reading, begun: begun.promise };
}

describe('readers of documents', () => {
  test('that hold much after a file are not used for the next', async () => {
    const readers = open({ memoryMb: 768 });
    await readers.extract(readingOf(note));
    const { pids } = readers;
    expect(pids).toHaveLength(1);
    await readers.extract(readingOf(utf8('another note')));
    expect(readers.pids).toEqual(pids);
    expect(await readers.extract(readingOf(largest()))).toMatchObject({ kind: 'extracted' });
    expect(readers.pids).toEqual([]);
  });

  test('that are killed from outside begin anew, and end with the third', async () => {
    const readers = open();
    // With nothing but itself to hold it has 120 MB, with a picture 170.
    const isAtIt = (): boolean => readers.pids.some((pid) => memoryOf(pid) > 140 * MEGABYTE);
    let begun = 0;
    let text = '';
    const reading = (kills: number): Reading => ({
      ...readingOf(image, async ({ passages }) => void (text += passages.map((p) => p.text).join(' '))),
      begin: async () => {
        text = '';
        begun += 1;
        if (begun <= kills) void until(isAtIt).then(() => kill(readers.pids[0]!, 'SIGKILL'));
        return null;
      },
    });
    expect(await readers.extract(reading(2))).toMatchObject({ kind: 'extracted' });
    expect(text).toMatch(/marmalade/i);
    // The one that is warm would be killed at once.
    await until(() => readers.pids.length === 0);
    begun = 0;
    expect(reasonOf(await readers.extract(reading(3)))).toBe(
      'the process that read the file was killed 3 times',
    );
  });

  test('read a file of a project after one of another, not after all of its', async () => {
    const readers = open();
    const order: string[] = [];
    const read = async (project: string, bytes: Uint8Array): Promise<void> => {
      await readers.extract(readingOf(bytes, undefined, project));
      order.push(project);
    };
    const many = Array.from({ length: 6 }, () => read('many', image));
    await Promise.all([...many, read('one', note)]);
    expect(order.indexOf('one')).toBe(1);
  });

  test('keep one for small files, where there are two', async () => {
    const readers = open({ count: 2 });
    const large = scanPdf(40, { bytes: image, width: 1240, height: 500 });
    // Behind its end is nothing that counts.
    const [slow, slower] = [1, 2].map(() => watched(Buffer.concat([large, Buffer.alloc(3 * MEGABYTE)])));
    const stop = new AbortController();
    const both = [slow!, slower!].map(({ reading }) => readers.extract({ ...reading, signal: stop.signal }));
    await slow!.begun;
    expect(await readers.extract(readingOf(note))).toMatchObject({ kind: 'extracted' });
    expect(readers.pids).toHaveLength(2);
    stop.abort(new Error('seen enough'));
    const ends = (await Promise.allSettled(both)) as PromiseRejectedResult[];
    expect(ends.map(({ reason }) => String(reason))).toEqual(Array(2).fill('Error: seen enough'));
  });

  test('turn away who has too many files waiting, and read those of others', async () => {
    const readers = open();
    const first = watched(image);
    const reading = readers.extract(first.reading);
    await first.begun;
    const more = Array.from({ length: 250 }, () => readers.extract(readingOf(note)));
    const other = readers.extract(readingOf(note, undefined, 'other'));
    const found = await Promise.allSettled(more);
    const refused = found.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(50);
    for (const { reason } of refused) expect(reason).toMatchObject({ name: 'ReadersBusy' });
    expect(await other).toMatchObject({ kind: 'extracted' });
    expect(await reading).toMatchObject({ kind: 'extracted' });
  });

  test('do not begin what is not to be read', async () => {
    const readers = open();
    const refused: Extraction = { kind: 'unreadable', code: 'unprocessable', reason: 'no' };
    const reading = { ...readingOf(textPdf(1, ['pump'])), begin: async () => refused };
    expect(await readers.extract(reading)).toBe(refused);
    expect(readers.pids).toEqual([]);
  });
});
