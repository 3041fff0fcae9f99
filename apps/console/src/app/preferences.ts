import { type Signal, effect, signal } from '@preact/signals';

/** What this browser is asked to remember, and nothing about keys: theme, UTC, single-key shortcuts. */
export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const stored = (name: string): string | null => {
  try {
    return window.localStorage.getItem(`annals.${name}`);
  } catch {
    return null;
  }
};

const store = (name: string, value: string): void => {
  try {
    window.localStorage.setItem(`annals.${name}`, value);
  } catch {
    // A browser that remembers nothing: it holds for this page.
  }
};

function remembered<T extends string>(name: string, values: readonly T[], otherwise: T): Signal<T> {
  const read = stored(name);
  const of = signal(values.find((value) => value === read) ?? otherwise);
  effect(() => store(name, of.value));
  return of;
}

const ON_OFF = ['on', 'off'] as const;

export const theme = remembered('theme', THEMES, 'system');
/** Times are in UTC, not local. */
export const utc = remembered('utc', ON_OFF, 'off');
/** Single keys act. */
export const singleKeys = remembered('keys', ON_OFF, 'on');

effect(() => {
  const root = document.documentElement;
  if (theme.value === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme.value;
});
