import { type Extraction, ProcessExtractor } from '#extraction';
import { SystemClock } from '#platform';
import { readingOf } from './reading-of.js';

export interface ReadDocument {
  readonly extraction: Extraction;
  /** Passages, as `page: text`. */
  readonly text: string;
  readonly language: string | null;
  /** As `code page: detail`. */
  readonly warnings: readonly string[];
}

/** Reads files as the service does, one after the other. */
export class DocumentReader {
  private readonly extractor = new ProcessExtractor(new SystemClock(), {
    readers: { count: 1, memoryMb: 1024 },
  });

  async read(bytes: Uint8Array, filename = ''): Promise<ReadDocument> {
    const passages: string[] = [];
    let language: string | null = null;
    const reading = readingOf(bytes, async (batch) => {
      language = batch.language;
      passages.push(...batch.passages.map(({ page, text }) => `${page ?? '-'}: ${text}`));
    });
    const extraction = await this.extractor.extract({ ...reading, filename });
    const warnings = extraction.kind === 'extracted' ? extraction.warnings : [];
    return {
      extraction,
      text: passages.join('\n---\n'),
      language,
      warnings: warnings.map(({ code, detail, page }) => `${code} ${page ?? '-'}: ${detail}`),
    };
  }

  close(): Promise<void> {
    return this.extractor.close();
  }
}
