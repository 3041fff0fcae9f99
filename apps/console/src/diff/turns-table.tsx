import { visible } from '../conversation/visible.js';
import { Said } from '../parts/values.js';
import { type DiffPiece, diffOf } from './text-diff.js';
import { type TurnDiff, turnText } from './run-diff.js';

const WORDS: Readonly<Record<TurnDiff['status'], string>> = {
  same: 'the same',
  changed: 'differs',
  only_a: 'only in A',
  only_b: 'only in B',
};

interface TurnsTableProps {
  readonly turns: readonly TurnDiff[];
  /** Number of the first of them. */
  readonly first: number;
  /** The difference that is looked at, by the turn's number; null: none yet. */
  readonly at: number | null;
}

/** Turns side by side; what only one of them says is marked. */
export const TurnsTable = ({ turns, first, at }: TurnsTableProps) => (
  <table role="table" class="turns" aria-label="Turns">
    <thead role="rowgroup">
      <tr role="row">
        {['Turn', 'A', 'B'].map((name) => (
          <th key={name} role="columnheader" scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {turns.map((turn, n) => (
        <Turn key={first + n} of={turn} number={first + n} isAt={at === first + n} />
      ))}
    </tbody>
  </table>
);

interface TurnProps {
  readonly of: TurnDiff;
  readonly number: number;
  readonly isAt: boolean;
}

export const turnId = (number: number): string => `turn-${number}`;

/** What is compared of a text, and shown of it. */
const MOST = 20_000;

function Turn({ of, number, isAt }: TurnProps) {
  const [a, b] = [turnText(of.a).slice(0, MOST), turnText(of.b).slice(0, MOST)];
  const pieces = of.status === 'changed' ? diffOf(a, b) : null;
  return (
    <tr
      role="row"
      id={turnId(number)}
      tabIndex={-1}
      aria-label={`Turn ${number}, ${WORDS[of.status]}`}
      class={isAt ? 'at' : undefined}
    >
      <td role="cell" data-label="Turn">
        {number}
        <p class={of.status === 'same' ? 'meta' : 'meta warn'}>{WORDS[of.status]}</p>
      </td>
      <td role="cell" data-label="A">
        <Side text={a} pieces={pieces} side="a" isMarked={of.status === 'only_a'} />
      </td>
      <td role="cell" data-label="B">
        <Side text={b} pieces={pieces} side="b" isMarked={of.status === 'only_b'} />
      </td>
    </tr>
  );
}

interface SideProps {
  readonly text: string;
  readonly pieces: readonly DiffPiece[] | null;
  readonly side: 'a' | 'b';
  readonly isMarked: boolean;
}

/** More pieces than that are marked as one: they say nothing any more. */
const MOST_PIECES = 60;

function Side({ text, pieces, side, isMarked }: SideProps) {
  const shown = (pieces ?? []).filter((piece) => piece.in === 'both' || piece.in === side);
  if (text === '') return <span class="none-there">–</span>;
  if (isMarked || shown.length > MOST_PIECES) return <Mark text={text} side={side} />;
  if (pieces === null) return <Said text={text} />;
  return (
    <bdi class="said">
      {shown.map((piece, n) =>
        piece.in === 'both' ? (
          <span key={n}>{visible(piece.text)}</span>
        ) : (
          <Mark key={n} text={piece.text} side={side} />
        ),
      )}
    </bdi>
  );
}

const Mark = ({ text, side }: { readonly text: string; readonly side: 'a' | 'b' }) =>
  side === 'a' ? <del>{visible(text)}</del> : <ins>{visible(text)}</ins>;
