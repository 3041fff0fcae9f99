import { useState } from 'preact/hooks';
import { ERASED_SEEN_MS, usePolled } from '../api/polled.js';
import type { RunView } from '../api/types.js';
import { Link } from '../app/link.js';
import type { PageProps } from '../app/routes.js';
import { useShortcuts } from '../app/shortcuts.js';
import { announce } from '../app/status.js';
import { type RunDiff, deltasOf, turnText } from '../diff/run-diff.js';
import { TurnsTable, turnId } from '../diff/turns-table.js';
import { runPath, segment } from '../lists/path.js';
import { Button, CopyCurl } from '../parts/controls.js';
import { Missing, isMissing } from '../parts/missing.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Region } from '../parts/region.js';
import { Pill } from '../parts/status.js';
import { Table } from '../parts/table.js';

/** Two runs side by side, turn by turn. */
export default function Page({ params }: PageProps) {
  const [a, b] = [params['a'] ?? '', params['b'] ?? ''];
  const path = `/runs/${segment(a)}/diff/${segment(b)}`;
  const isThere = useAreThere(a, b);
  const polled = usePolled<RunDiff>(isThere ? path : null);
  const diff = polled.data;
  return (
    <div class="page">
      <PageHead
        title="Compare runs"
        crumb={<Link href="/console/runs">Runs</Link>}
        actions={<CopyCurl call={{ path }} small={false} />}
        facts={diff !== null && <Verdicts of={diff} />}
      />
      {(!isThere || isMissing(polled)) && <Missing />}
      <Region name="Comparison" polled={polled}>
        {diff !== null && (
          <div class="sections">
            <Figures of={diff} a={a} b={b} />
            <Turns of={diff} />
          </div>
        )}
      </Region>
    </div>
  );
}

/** Whether both runs are there: the comparison itself is read once, for all that was said stands in it. */
function useAreThere(a: string, b: string): boolean {
  const looks = [a, b].map((run) => usePolled<RunView>(`/runs/${segment(run)}`, ERASED_SEEN_MS));
  return !looks.some(isMissing);
}

const Verdicts = ({ of }: { readonly of: RunDiff }) => (
  <>
    <span>{of.same_response ? 'The same answer in the end' : 'Another answer in the end'}</span>
    <span>{of.same_tool_calls ? 'the same tool calls' : 'other tool calls'}</span>
    <span>{of.same_final_output ? 'the same final output' : 'another final output'}</span>
  </>
);

interface FiguresProps {
  readonly of: RunDiff;
  readonly a: string;
  readonly b: string;
}

const Figures = ({ of, a, b }: FiguresProps) => (
  <div>
    <div class="pair">
      <p>
        <b>A</b>{' '}
        <Link href={runPath(a)} class="mono">
          {a}
        </Link>{' '}
        <Pill status={of.status.a} />
      </p>
      <p>
        <b>B</b>{' '}
        <Link href={runPath(b)} class="mono">
          {b}
        </Link>{' '}
        <Pill status={of.status.b} />
      </p>
    </div>
    <Table
      name="Figures"
      rows={deltasOf(of)}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Figure', grow: true, cell: ({ name }) => name },
        { name: 'A', end: true, cell: (delta) => delta.a },
        { name: 'B', end: true, cell: (delta) => delta.b },
        { name: 'B against A', end: true, cell: ({ delta }) => <b>{delta}</b> },
      ]}
    />
  </div>
);

/** So many turns stand in the page at a time: of one that differs in many places a side has up to 60 pieces. */
const SHOWN = 8;

const differencesWords = (all: readonly number[], at: number | null): string => {
  if (all.length === 0) return 'no difference';
  const words = all.length === 1 ? '1 difference' : `${all.length} differences`;
  return at === null ? words : `${all.indexOf(at) + 1} of ${words}`;
};

function Turns({ of }: { readonly of: RunDiff }) {
  const all = of.turns.flatMap(({ status }, n) => (status === 'same' ? [] : [n]));
  const [at, setAt] = useState<number | null>(null);
  const [first, setFirst] = useState(0);
  const go = (step: 1 | -1): void => {
    const next =
      step === 1
        ? (all.find((n) => at === null || n > at) ?? all[0])
        : (all.findLast((n) => at === null || n < at) ?? all.at(-1));
    if (next === undefined) return;
    setAt(next);
    setFirst(Math.floor(next / SHOWN) * SHOWN);
    announce(`Difference ${all.indexOf(next) + 1} of ${all.length}, turn ${next + 1}`);
    requestAnimationFrame(() => {
      const row = document.getElementById(turnId(next + 1));
      row?.scrollIntoView({ block: 'center' });
      row?.focus({ preventScroll: true });
    });
  };
  useShortcuts({ n: () => go(1), p: () => go(-1) });
  if (of.turns.every((turn) => turnText(turn.a) === '' && turnText(turn.b) === ''))
    return <Empty title="No turns" sentence="Neither run has said anything yet." />;
  return (
    <div>
      <div class="section-head">
        <h2>Turns</h2>
        <span class="do">
          <span class="meta">{differencesWords(all, at)}</span>
          <Button small icon="prev" disabled={all.length === 0} onClick={() => go(-1)}>
            Previous difference
          </Button>
          <Button small icon="next" disabled={all.length === 0} onClick={() => go(1)}>
            Next difference
          </Button>
        </span>
      </div>
      <TurnsTable
        turns={of.turns.slice(first, first + SHOWN)}
        first={first + 1}
        at={at === null ? null : at + 1}
      />
      {of.turns.length > SHOWN && <Pages first={first} all={of.turns.length} onGo={setFirst} />}
    </div>
  );
}

interface PagesProps {
  readonly first: number;
  readonly all: number;
  readonly onGo: (first: number) => void;
}

const Pages = ({ first, all, onGo }: PagesProps) => (
  <div class="more-rows">
    {first > 0 && <Button onClick={() => onGo(first - SHOWN)}>Earlier turns</Button>}{' '}
    <span class="meta">{`Turns ${first + 1} to ${Math.min(first + SHOWN, all)} of ${all}`}</span>{' '}
    {first + SHOWN < all && <Button onClick={() => onGo(first + SHOWN)}>Later turns</Button>}
  </div>
);
