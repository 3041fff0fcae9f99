import { Injectable } from '@nestjs/common';
import { type GivenPart, Problem, type ProjectId } from '#domain';
import { Extractor, ReadersBusy } from '#extraction';
import { type AskedFile, refused } from '#openai-face';
import { Clock } from '#platform';

/** Characters of a file's text: what else a message may have. */
const MAX_CHARS = 2_097_152;
const PATIENCE_MS = 60_000;
const BUSY = new Problem('overloaded', 'too many files are being read; try again later', { retryAfterS: 5 });

/** Reads the files of messages as documents are read: what stands in them is handed on as text. */
@Injectable()
export class GivenFiles {
  constructor(
    private readonly extractor: Extractor,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem naming a file that cannot be read; overloaded */
  async textOf(project: ProjectId, { filename, bytes, path }: AskedFile): Promise<GivenPart> {
    const passages: string[] = [];
    let chars = 0;
    const deadline = this.clock.deadline(PATIENCE_MS);
    const late = new AbortController();
    const signal = AbortSignal.any([deadline.signal, late.signal]);
    try {
      const found = await this.extractor.extract({
        file: { bytes: bytes.length, read: () => Promise.resolve(bytes) },
        filename,
        project,
        begin: () => {
          passages.length = 0;
          chars = 0;
          return Promise.resolve(null);
        },
        take: (batch) => {
          for (const { text } of batch.passages) {
            chars += text.length;
            passages.push(text);
          }
          if (chars > MAX_CHARS) throw tooLong(path);
          return Promise.resolve();
        },
        signal,
      });
      if (found.kind === 'unreadable')
        throw refused('invalid_value', path, `${path}: cannot be read: ${found.reason}`);
    } catch (error) {
      if (error instanceof ReadersBusy) throw BUSY;
      if (deadline.signal.aborted) throw refused('invalid_value', path, `${path}: takes too long to be read`);
      throw error;
    } finally {
      late.abort(new Error('read'));
      deadline[Symbol.dispose]();
    }
    return { kind: 'text', text: `[file ${filename}]\n${passages.join('\n')}` };
  }
}

const tooLong = (path: string): Problem =>
  refused('invalid_value', path, `${path}: has more text than a message may have`);
