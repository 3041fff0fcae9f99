/** What the service says of its keys, held against what this browser was told first. */
export type KeysFound =
  /** `policy`: whom to believe. */
  | { readonly kind: 'first' | 'same'; readonly policy: string }
  /** New keys stand beside one that was known, or a known one was retired. */
  | { readonly kind: 'rotated'; readonly policy: string }
  /** None of that: `known` is what was told first, `told` what is told now. */
  | {
      readonly kind: 'changed';
      readonly policy: string;
      readonly known: readonly string[];
      readonly told: readonly string[];
    };

/** A text of `/proof/keys`: a tlog-policy, with the keys that are no longer used in comments. */
interface Keys {
  /** Lines of keys that sign, by their keys. */
  readonly active: ReadonlyMap<string, string>;
  readonly retired: ReadonlySet<string>;
  /** Witnesses, groups and the quorum. */
  readonly others: readonly string[];
}

function read(text: string): Keys {
  const active = new Map<string, string>();
  const retired = new Set<string>();
  const others: string[] = [];
  for (const line of text.split('\n')) {
    const [word = '', ...words] = line.trim().split(/[ \t]+/);
    if (word === 'log' && words[0] !== undefined) active.set(words[0], line.trim());
    else if (word === '#' && words[0]?.startsWith('retired')) for (const key of words) retired.add(key);
    else if (word !== '' && !word.startsWith('#')) others.push(line.trim());
  }
  return { active, retired, others };
}

/**
 * Witnesses and quorum stay those that were told first: a service cannot lower what it is held to.
 * @param pinned the text that this browser was told first; null: none yet @param told the text of now
 */
export function keysFound(pinned: string | null, told: string): KeysFound {
  if (pinned === null) return { kind: 'first', policy: told };
  const [known, now] = [read(pinned), read(told)];
  const lost = [...known.active.keys()].filter((key) => !now.active.has(key) && !now.retired.has(key));
  if (lost.length > 0 || now.active.size === 0) {
    return { kind: 'changed', policy: pinned, known: [...known.active.keys()], told: [...now.active.keys()] };
  }
  const isSame = now.active.size === known.active.size && isWithin(now, known);
  if (isSame) return { kind: 'same', policy: pinned };
  return { kind: 'rotated', policy: [...now.active.values(), ...known.others, ''].join('\n') };
}

const isWithin = ({ active }: Keys, known: Keys): boolean =>
  [...active.keys()].every((key) => known.active.has(key));

/** Whether a text names a key at all: before there is one nothing can be believed, nor kept. */
export const namesKeys = (text: string): boolean => read(text).active.size > 0;
