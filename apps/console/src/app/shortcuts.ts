import { useEffect, useRef } from 'preact/hooks';
import { singleKeys } from './preferences.js';

export type Shortcuts = Readonly<Record<string, () => void>>;

/** How long the first key of two waits for the second. */
const SECOND_KEY_MS = 1000;

const layers: { readonly current: Shortcuts }[] = [];
let first: { readonly key: string; readonly at: number } | null = null;

/** Whether a key belongs to what is typed into. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return (
    target instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit|range|file)$/.test(target.type)
  );
}

/** Keys that an element answers by itself are left to it. */
function isOfElement(event: KeyboardEvent): boolean {
  const { key, target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (key === ' ' || key === 'Enter') return target.matches('button, a, input, summary, [role=tab]');
  return false;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target) || isOfElement(event)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const isNamed = event.key.length > 1;
  if (!isNamed && singleKeys.value === 'off') return;
  const pair =
    first !== null && event.timeStamp - first.at < SECOND_KEY_MS ? `${first.key} ${event.key}` : null;
  const action = find(pair) ?? find(event.key);
  first = null;
  if (action !== undefined) {
    event.preventDefault();
    action();
  } else if (
    layers.some(({ current }) => Object.keys(current).some((keys) => keys.startsWith(`${event.key} `)))
  ) {
    first = { key: event.key, at: event.timeStamp };
  }
}

/** What was opened last comes first. */
function find(keys: string | null): (() => void) | undefined {
  if (keys === null) return undefined;
  for (const { current } of layers.toReversed()) if (current[keys] !== undefined) return current[keys];
  return undefined;
}

/**
 * Has keys act while the component is there: `{ j: next, 'g s': toSessions, Home: first }`, by `KeyboardEvent.key`. None acts
 * in a text field, under a dialog, or, where it is a single character, while the switch is off.
 */
export function useShortcuts(shortcuts: Shortcuts): void {
  const layer = useRef(shortcuts);
  layer.current = shortcuts;
  useEffect(() => {
    if (layers.length === 0) document.addEventListener('keydown', onKey);
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) document.removeEventListener('keydown', onKey);
    };
  }, []);
}
