import { type KeysFound, keysFound, namesKeys } from './known-keys.js';

const NAME = 'annals.log-keys';
/** A browser that remembers nothing: it holds for this page. */
let kept: string | null = null;

function pinned(): string | null {
  try {
    return window.localStorage.getItem(NAME) ?? kept;
  } catch {
    return kept;
  }
}

/** Has this browser believe these keys from now on. @param text of `/proof/keys` */
export function pin(text: string): void {
  kept = text;
  try {
    window.localStorage.setItem(NAME, text);
  } catch {
    // Full, or not allowed.
  }
}

/** The keys that are believed: what this browser was told first, carried on over rotations. @param told what it is told now; null: nothing */
export function believedKeys(told: string | null): KeysFound | null {
  const known = pinned();
  if (told === null || !namesKeys(told)) return known === null ? null : { kind: 'same', policy: known };
  const found = keysFound(known, told);
  if (found.kind === 'first' || found.kind === 'rotated') pin(found.policy);
  return found;
}
