import { type Shortcuts, useShortcuts } from '../app/shortcuts.js';
import { stepRows } from './log-grid.js';
import { stepMatches } from './log-pane.js';
import { type SessionModel, TABS } from './model.js';
import type { Player } from './play.js';
import { copyLink } from './session-head.js';
import { neighbours } from './story.js';

/** The keys of the session page. Each is also a button, a field or a link. @param dialogs what opens one, by its key */
export function useSessionKeys(model: SessionModel, player: Player, dialogs: Shortcuts): void {
  const jump = (places: readonly number[], way: 'before' | 'after'): void => {
    const to = neighbours(places, model.at.value)[way];
    if (to !== null) model.seek(to);
  };
  const { story } = model.store;
  const tabs = Object.fromEntries(TABS.map((tab, n) => [String(n + 1), () => void (model.tab.value = tab)]));
  useShortcuts({
    ...tabs,
    ...dialogs,
    j: () => stepRows(model, 1),
    k: () => stepRows(model, -1),
    '[': () => jump(story.turnStarts, 'before'),
    ']': () => jump(story.turnStarts, 'after'),
    K: () => jump(story.runStarts, 'before'),
    J: () => jump(story.runStarts, 'after'),
    e: () => jump(story.errors, 'after'),
    E: () => jump(story.errors, 'before'),
    n: () => stepMatches(model, 1),
    N: () => stepMatches(model, -1),
    '#': () => focusOn('#event-number'),
    ' ': () => player.toggle(),
    '0': () => model.follow(),
    b: () => void (model.rowsMode.value = model.rowsMode.value === 'blocks' ? 'every' : 'blocks'),
    c: () => copyLink(model),
  });
}

function focusOn(selector: string): void {
  const field = document.querySelector<HTMLInputElement>(selector);
  field?.focus();
  field?.select();
}
