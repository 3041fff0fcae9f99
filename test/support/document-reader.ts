import { type Extraction, ThreadExtractor } from '#knowledge';
import { SystemClock } from '#platform';

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
  private readonly extractor = new ThreadExtractor(new SystemClock());

  async read(bytes: Uint8Array): Promise<ReadDocument> {
    const passages: string[] = [];
    let language: string | null = null;
    const extraction = await this.extractor.extract(
      { bytes: bytes.length, read: async () => new Uint8Array(bytes) },
      async (batch) => {
        language = batch.language;
        passages.push(...batch.passages.map(({ page, text }) => `${page ?? '-'}: ${text}`));
      },
      new AbortController().signal,
    );
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
