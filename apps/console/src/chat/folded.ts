import { useMemo, useRef } from 'preact/hooks';
import { type ConversationAt, ConversationFold } from '../conversation/conversation-fold.js';
import type { ConversationEvent } from '../conversation/items.js';
import type { SessionStore } from '../session/store.js';
import { type ChatFacts, ChatFactsFold, NO_FACTS } from './facts.js';

export interface Folded {
  readonly facts: ChatFacts;
  readonly conversation: ConversationAt;
}

const NOTHING: Folded = { facts: NO_FACTS, conversation: { items: [], queued: [] } };

/** Folds of one session in this page: what came is pushed once, so a frame costs what is new. */
class Folds {
  private readonly conversation = new ConversationFold();
  private readonly facts: ChatFactsFold;
  private events = 0;
  private known = 0;

  constructor(
    readonly store: SessionStore,
    readonly inherited: readonly ConversationEvent[],
    readonly replaced: number,
  ) {
    this.facts = new ChatFactsFold(store.session);
    for (const event of inherited) this.conversation.push(event, true);
  }

  take(): Folded {
    const { events, known } = this.store;
    for (; this.events < events.length; this.events += 1) this.conversation.push(events[this.events]!);
    for (; this.known < known.length; this.known += 1) this.facts.push(known[this.known]!);
    return { facts: this.facts.now, conversation: this.conversation.now };
  }
}

/** A session's head and conversation, as they are in this frame. @param inherited null: not read yet */
export function useFolded(
  store: SessionStore | null,
  inherited: readonly ConversationEvent[] | null,
): Folded {
  const folds = useRef<Folds | null>(null);
  const version = store?.version.value ?? 0;
  const replaced = store?.replaced.value ?? 0;
  return useMemo(() => {
    if (store === null || inherited === null) return NOTHING;
    const { current } = folds;
    const isSame =
      current?.store === store && current.inherited === inherited && current.replaced === replaced;
    // Where something is in the place of an event that was there, all is folded anew.
    folds.current = isSame ? current : new Folds(store, inherited, replaced);
    return folds.current.take();
  }, [store, inherited, version, replaced]);
}
