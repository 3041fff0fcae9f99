import { type Environment, readSettings } from './settings.js';

/** An unknown variable, and the setting that was probably meant. */
export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** Variables that are read elsewhere than in `readSettings`. */
const OTHERS = ['ANNALS_KEY', 'ANNALS_URL', 'ENV_FILE'];

/** Shorter names resemble too many others: HOST is one letter from POST. */
const LEAST_LENGTH = 6;

/** Unknown variables of the environment whose names resemble those of settings; sorted by name. */
export function misspelledSettings(env: Environment): Misspelling[] {
  const names = settingNames();
  const known = new Set([...names, ...OTHERS]);
  return Object.keys(env)
    .filter((name) => env[name]?.trim() && !known.has(name))
    .sort()
    .flatMap((name) => {
      const meant = nearest(name, names);
      return meant === null ? [] : [{ name, meant }];
    });
}

/**
 * The names of all settings, found by recording what `readSettings` reads, so that there is no list to go
 * stale.
 */
export function settingNames(): readonly string[] {
  const asked = new Set<string>();
  readSettings(new Proxy<Record<string, undefined>>({}, { get: (_, name) => void asked.add(String(name)) }));
  return [...asked];
}

function nearest(name: string, names: readonly string[]): string | null {
  const bare = bareOf(name);
  const same = names.find((known) => bareOf(known) === bare);
  if (same !== undefined) return same;
  if (bare.length < LEAST_LENGTH) return null;
  const most = bare.length < 2 * LEAST_LENGTH ? 1 : 2;
  const [best] = names
    .map((known) => ({ known, letters: bareOf(known) }))
    .filter(({ letters }) => letters.length >= LEAST_LENGTH && Math.abs(letters.length - bare.length) <= most)
    .map(({ known, letters }) => ({ known, edits: editsBetween(bare, letters) }))
    .sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= most ? best.known : null;
}

/** Ignores case and underscores, which are mistaken most. */
const bareOf = (name: string): string => name.toUpperCase().replaceAll(/[_-]/g, '');

/** Levenshtein distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
