import type { GivenItem, RecordedSessionEvent } from '#domain';
import { messageGiven, shownItems } from './given-view.js';
import type { Passage } from './passage.js';

type Steered = Extract<RecordedSessionEvent, { type: 'agent_steered' }>;

/**
 * Messages for a run under way, from when they come until its model is told of them, in their order. Owns which of them
 * are items already: those that came with the decisions on which the run went on.
 */
export class Steering {
  private expected = 0;
  private readonly coming: { readonly isItem: boolean }[] = [];

  /** What a request decides with stands before the messages that it brings, in the same append. */
  expect(items: readonly GivenItem[]): void {
    this.expected = items.filter(({ kind }) => kind === 'message').length;
  }

  come(): void {
    const isItem = this.expected > 0;
    if (isItem) this.expected -= 1;
    this.coming.push({ isItem });
  }

  /** The next one is told to the model of the passage. */
  tell({ data, revision }: Steered, passage: Passage | null): void {
    if (this.coming.shift()?.isItem === true || passage === null) return;
    const { session } = passage.beginning;
    for (const item of shownItems(messageGiven(data.content), session, revision)) passage.hear(item);
  }
}
