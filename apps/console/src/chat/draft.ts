import { effect, signal } from '@preact/signals';
import { auth, signInState } from '../app/session.js';
import { DEFAULTS, type Options } from './request.js';

/**
 * Owns what is being written in this tab: the texts of the composer by session, and the options. Both outlive the page's
 * component; options outlive a reload, for the key that they were written with, but what the form does not have (tool
 * servers, headers), which is nowhere but here. A sign-out forgets all of it.
 */
const STORED = 'annals.chat-options';

export const options = signal<Options>(DEFAULTS);

/** Texts that are not sent yet, by session; '' is that of the next new one. */
const texts = new Map<string, string>();
/** The last message that was sent from this tab. */
let lastSent = '';
/** Whose options these are: the key's id. */
let owner: string | null = null;

export const draftOf = (session: string | null): string => texts.get(session ?? '') ?? '';
export const keepDraft = (session: string | null, text: string): void => void texts.set(session ?? '', text);
export const lastMessage = (): string => lastSent;
export const keepSent = (message: string): void => {
  lastSent = message;
};

interface Kept extends Omit<Options, 'others'> {
  readonly key: string;
}

function stored(key: string): Options {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<Kept>;
    if (kept.key !== key) return DEFAULTS;
    const { key: _, ...own } = kept;
    return { ...DEFAULTS, ...own, others: {} };
  } catch {
    return DEFAULTS;
  }
}

// Another key's are not shown to this one; under the dialog "Signed out" they stay where they are.
effect(() => {
  const key = auth.value?.key?.id ?? null;
  if (key === owner || (key === null && signInState.value !== 'none')) return;
  owner = key;
  texts.clear();
  lastSent = '';
  options.value = key === null ? DEFAULTS : stored(key);
});

effect(() => {
  const { others: _, ...kept } = options.value;
  try {
    if (owner === null) sessionStorage.removeItem(STORED);
    else sessionStorage.setItem(STORED, JSON.stringify({ ...kept, key: owner }));
  } catch {
    // A browser that keeps nothing: the options last as long as the page.
  }
});
