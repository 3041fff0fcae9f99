import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../app/status.js';
import type { Item } from '../conversation/items.js';
import { loadedText } from '../conversation/items.js';
import { sentencesFrom } from './sentences.js';

interface Said {
  /** What was there when the page came: it is not said. */
  readonly before: number;
  readonly characters: Map<string, number>;
  readonly waits: Set<string>;
  status: string | null;
}

/**
 * Has what comes said aloud: an answer by its sentences, that somebody is asked, and how a run ends.
 * @param from the last event that was there when the page came; null: not known yet
 */
export function useAnnouncements(items: readonly Item[], status: string | null, from: number | null): void {
  const said = useRef<Said | null>(null);
  useEffect(() => {
    if (from === null) return;
    said.current ??= { before: from, characters: new Map(), waits: new Set(), status };
    const sentences = items.flatMap((item) => newsOf(item, said.current!));
    if (said.current.status !== status && isEnd(status)) sentences.push(`Run ${status}`);
    said.current.status = status;
    if (sentences.length > 0) announce(sentences.join(' '));
  }, [items, status, from]);
}

const isEnd = (status: string | null): status is string =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

function newsOf(item: Item, said: Said): string[] {
  if (item.isInherited || item.event <= said.before) return [];
  if (item.kind === 'action' && item.status === 'open' && !said.waits.has(item.id)) {
    said.waits.add(item.id);
    return [`${item.about} needs a decision.`];
  }
  if (item.kind !== 'response') return [];
  const { say, upTo } = sentencesFrom(
    loadedText(item.text),
    said.characters.get(item.key) ?? 0,
    !item.isOpen,
  );
  said.characters.set(item.key, upTo);
  return say === '' ? [] : [say];
}
