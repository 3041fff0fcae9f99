import { type DocumentEvent, documentStream } from '#domain';
import type { Logger } from '#platform';
import type { Extraction } from '#extraction';
import type { PassageRows } from './postgres/passage-rows.js';
import type { KnowledgeStreams } from './streams.js';

/** Records the outcome of extracting a document whose upload was answered with `processing`. */
export class DocumentOutcomes {
  constructor(
    private readonly ports: {
      readonly streams: KnowledgeStreams;
      readonly passages: PassageRows;
      readonly logger: Logger;
    },
  ) {}

  /** The log has one outcome of an upload; a text that is read again (its tables were lost) adds none. */
  async record(id: string, upload: string, extraction: Extraction): Promise<void> {
    const { streams, passages, logger } = this.ports;
    const { document } = await streams.document(id);
    if (document?.upload !== upload) return passages.remove(upload);
    if (extraction.kind === 'unreadable' && document.status === 'indexed') {
      // On the log it stays indexed, so it is wanted for as long as its file is not what it was.
      await passages.putOff(upload);
      const { reason } = extraction;
      return logger.error({ document: id, reason }, 'an indexed document cannot be read any more');
    }
    if (extraction.kind === 'unreadable') await passages.remove(upload);
    if (document.status !== 'processing') return;
    const by = { project: document.project, actor: 'indexer' };
    // A conflict is a deletion, or the outcome that another process found.
    const key = document.keys.at(-1);
    await streams.append(documentStream(id), [outcomeOf(extraction)], by, document.revision, key);
  }
}

export const outcomeOf = (extraction: Extraction): DocumentEvent => {
  if (extraction.kind === 'unreadable') {
    const { code, reason } = extraction;
    return { type: 'document_failed', data: { code, reason } };
  }
  const { passages, pages, warnings } = extraction;
  return { type: 'document_indexed', data: { passages, pages, ...(warnings.length > 0 && { warnings }) } };
};
