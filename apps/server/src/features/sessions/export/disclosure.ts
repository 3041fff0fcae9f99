import type { Disclosure } from '#delivery';
import type { Revision } from '#domain';

const LIST = /^\d{1,16}(?:-\d{1,16})?(?:,\d{1,16}(?:-\d{1,16})?)*$/;
/** As long as a request line may be. */
export const MAX_DISCLOSED = 10_000;

interface Range {
  readonly from: Revision;
  readonly to: Revision;
}

/** `all`, `none`, or revisions and ranges as `0,3-5`; null: it is none of them. */
export function readDisclosure(asked: string): Disclosure | null {
  if (asked === 'all') return { asked, highest: -1, opens: () => true };
  if (asked === 'none') return { asked, highest: -1, opens: () => false };
  if (asked.length > MAX_DISCLOSED || !LIST.test(asked)) return null;
  const ranges = asked.split(',').map(rangeOf);
  if (ranges.some(({ from, to }) => from > to || !Number.isSafeInteger(to))) return null;
  const joined = joinedOf(ranges);
  return { asked, highest: joined.at(-1)!.to, opens: (revision) => isIn(joined, revision) };
}

function rangeOf(text: string): Range {
  const [from = '', to = from] = text.split('-');
  return { from: Number(from), to: Number(to) };
}

/** In order, none of them touching another. */
function joinedOf(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || range.from > last.to + 1) joined.push(range);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return joined;
}

function isIn(ranges: readonly Range[], revision: Revision): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.to < revision) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.from ?? Infinity) <= revision;
}
