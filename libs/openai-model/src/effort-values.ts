/** Values of `reasoning_effort` as servers name them, and how much each is. */
const RANKS: Readonly<Record<string, number>> = {
  none: 0,
  no_think: 0,
  off: 0,
  disabled: 0,
  minimal: 1,
  low: 2,
  medium: 3,
  default: 3,
  auto: 3,
  high: 4,
  xhigh: 5,
  max: 6,
};
/** Behind these a list of values stands. */
const CUE =
  /(?:one of|values?(?: are| is)?|should be|must be|expected|allowed|valid|choose|accepts?|options?|supports?(?: only)?)\b:?(.{1,200})/gis;

/** The nearest other value that a refusal lists; of two the smaller. */
export function effortInstead(message: string, asked: string): string | undefined {
  const rank = RANKS[asked] ?? 3;
  let best: string | undefined;
  for (const [, list = ''] of message.slice(0, 4000).matchAll(CUE))
    for (const value of list.split(/[^a-z_]+/i)) {
      if (value === asked || !Object.hasOwn(RANKS, value)) continue;
      const isNearer = best === undefined || distance(value, rank) < distance(best, rank);
      if (isNearer) best = value;
    }
  return best;
}

const distance = (value: string, rank: number): number => {
  const own = RANKS[value] ?? 3;
  return Math.abs(own - rank) + (own > rank ? 0.5 : 0);
};
