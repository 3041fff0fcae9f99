import { effect, signal } from '@preact/signals';
import { DEFAULTS, type Options } from './request.js';

/**
 * Owns what is being written in this tab: the texts of the composer by session, and the options. Both outlive the page's
 * component; options outlive a reload, but what the form does not have (tool servers, headers), which is nowhere but here.
 */
const STORED = 'annals.chat-options';

export const options = signal<Options>(stored());

/** Texts that are not sent yet, by session; '' is that of the next new one. */
const texts = new Map<string, string>();
/** The last message that was sent from this tab. */
let lastSent = '';

export const draftOf = (session: string | null): string => texts.get(session ?? '') ?? '';
export const keepDraft = (session: string | null, text: string): void => void texts.set(session ?? '', text);
export const lastMessage = (): string => lastSent;
export const keepSent = (message: string): void => {
  lastSent = message;
};

function stored(): Options {
  try {
    const kept = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as Partial<Options>;
    return { ...DEFAULTS, ...kept, others: {} };
  } catch {
    return DEFAULTS;
  }
}

effect(() => {
  const { others: _, ...kept } = options.value;
  try {
    sessionStorage.setItem(STORED, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing: the options last as long as the page.
  }
});
