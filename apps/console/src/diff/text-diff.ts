/** A piece of a text, in both or in one of two. */
export interface DiffPiece {
  readonly in: 'both' | 'a' | 'b';
  readonly text: string;
}

/** So many pairs of words are compared; beyond that what differs is shown as a whole. */
const MOST_PAIRS = 400_000;
const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/** How one text becomes another, word by word: the longest that they have in common stays. */
export function diffOf(a: string, b: string): readonly DiffPiece[] {
  if (a === b) return a === '' ? [] : [{ in: 'both', text: a }];
  const [left, right] = [a.match(WORDS) ?? [], b.match(WORDS) ?? []];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  const most = Math.min(left.length, right.length) - head;
  while (tail < most && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const middle = between(left.slice(head, left.length - tail), right.slice(head, right.length - tail));
  return joined([
    { in: 'both', text: left.slice(0, head).join('') },
    ...middle,
    { in: 'both', text: tail === 0 ? '' : left.slice(-tail).join('') },
  ]);
}

function between(left: readonly string[], right: readonly string[]): readonly DiffPiece[] {
  if (left.length * right.length > MOST_PAIRS)
    return [
      { in: 'a', text: left.join('') },
      { in: 'b', text: right.join('') },
    ];
  const width = right.length + 1;
  /** Length of the longest that the rests from (i, j) on have in common. */
  const common = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      common[i * width + j] =
        left[i] === right[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const pieces: DiffPiece[] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length)
    if (left[i] === right[j]) {
      pieces.push({ in: 'both', text: left[i++] ?? '' });
      j++;
    } else if ((common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
      pieces.push({ in: 'a', text: left[i++] ?? '' });
    else pieces.push({ in: 'b', text: right[j++] ?? '' });
  return [...pieces, { in: 'a', text: left.slice(i).join('') }, { in: 'b', text: right.slice(j).join('') }];
}

/** Neighbours of the same kind are one piece; empty ones are none. */
function joined(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const found: { in: DiffPiece['in']; text: string }[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (piece.text === '') continue;
    if (last?.in === piece.in) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
