import { type ConversationAt, ConversationFold } from './conversation-fold.js';
import type { ConversationEvent } from './items.js';

/**
 * A session's conversation as it stood behind its event `upTo`.
 * @param events of the session, in order and from the first on; those behind `upTo` are passed over
 * @param inherited of a fork: what its ancestors' logs hold before its own events
 */
export function conversationOf(
  events: readonly ConversationEvent[],
  upTo: number = Infinity,
  inherited: readonly ConversationEvent[] = [],
): ConversationAt {
  const fold = new ConversationFold();
  for (const event of inherited) fold.push(event, true);
  for (const event of events) {
    if (event.id > upTo) break;
    fold.push(event);
  }
  return fold.now;
}
