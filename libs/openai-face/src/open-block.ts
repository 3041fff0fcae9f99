import type { Revision, SessionId } from '#domain';
import { itemId } from './ids.js';
import { type ItemStatus, messageItem, outputText, reasoningItem, summaryText } from './items.js';
import type { OutputEntry, Passage } from './passage.js';

/** A block of text that is being written: a message, or reasoning. */
export interface OpenBlock {
  readonly entry: OutputEntry;
  add(piece: string): void;
  close(status: ItemStatus): void;
}

/** @param start revision of the event that begins it */
export function openMessage(passage: Passage, session: SessionId, start: Revision): OpenBlock {
  const id = itemId('msg', session, start);
  const entry = passage.add(messageItem(id, null, 'in_progress'));
  const at = { item_id: id, output_index: entry.index, content_index: 0 };
  passage.say('content_part.added', () => ({ ...at, part: outputText('') }));
  let text = '';
  return {
    entry,
    add(delta) {
      text += delta;
      entry.item = messageItem(id, text, 'in_progress');
      passage.say('output_text.delta', () => ({ ...at, delta, logprobs: [] }));
    },
    close(status) {
      passage.say('output_text.done', () => ({ ...at, text, logprobs: [] }));
      passage.say('content_part.done', () => ({ ...at, part: outputText(text) }));
      passage.close(entry, messageItem(id, text, status));
    },
  };
}

/** The same of thinking. */
export function openReasoning(passage: Passage, session: SessionId, start: Revision): OpenBlock {
  const id = itemId('rs', session, start);
  const entry = passage.add(reasoningItem(id, null, 'in_progress'));
  const at = { item_id: id, output_index: entry.index, summary_index: 0 };
  passage.say('reasoning_summary_part.added', () => ({ ...at, part: summaryText('') }));
  let text = '';
  return {
    entry,
    add(delta) {
      text += delta;
      entry.item = reasoningItem(id, text, 'in_progress');
      passage.say('reasoning_summary_text.delta', () => ({ ...at, delta }));
    },
    close(status) {
      passage.say('reasoning_summary_text.done', () => ({ ...at, text }));
      passage.say('reasoning_summary_part.done', () => ({ ...at, part: summaryText(text) }));
      passage.close(entry, reasoningItem(id, text, status));
    },
  };
}
