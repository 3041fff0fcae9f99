import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { useList } from '../api/list.js';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { RUN_STATUSES, type RunView } from '../api/types.js';
import { Link } from '../app/link.js';
import { place, setQuery } from '../app/router.js';
import { may } from '../app/session.js';
import { announce } from '../app/status.js';
import { Button, CopyCurl, Curl } from '../parts/controls.js';
import { Filters, PeriodFilter, StatusFilter, filteredPath } from '../parts/filters.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failure, LoadMore, Region } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Duration, Money, Said } from '../parts/values.js';
import { firstTokenMs, isUnderWay, tookMs, waitedMs } from './run-times.js';

const COLUMNS: readonly Column<RunView>[] = [
  {
    name: 'Status',
    cell: ({ run_id: run, status }) => (
      <Link href={`/console/runs/${encodeURIComponent(run)}`} class="row-link">
        <StatusWord status={status} />
      </Link>
    ),
  },
  {
    name: 'Session',
    class: 'id',
    cell: ({ session }) => (
      <Link href={`/console/sessions/${encodeURIComponent(session)}`} title={session}>
        <Said text={session} class="mono" />
      </Link>
    ),
  },
  { name: 'Trigger', cell: ({ trigger, retry_of, replay_of }) => triggerWord(trigger, retry_of, replay_of) },
  { name: 'Model', class: 'id', cell: ({ model }) => <Said text={model} /> },
  { name: 'Waited', end: true, cell: (run) => <Duration ms={waitedMs(run, Date.now())} /> },
  { name: 'First token', end: true, cell: (run) => <Duration ms={firstTokenMs(run)} /> },
  { name: 'Took', end: true, cell: (run) => <Duration ms={tookMs(run, Date.now())} /> },
  { name: 'Cost', end: true, cell: ({ cost }) => <Money amount={cost} /> },
  { name: 'Error', grow: true, cell: ({ error }) => error && <Cause error={error} /> },
  { name: 'Asked', end: true, cell: ({ created_at: at }) => <Age at={at} /> },
];

const triggerWord = (trigger: string, retryOf: string | null, replayOf: string | null): string =>
  retryOf !== null ? 'retry' : replayOf !== null ? 'replay' : trigger;

const Cause = ({ error }: { readonly error: NonNullable<RunView['error']> }) => (
  <span class="cause">
    <code class="bad-text">{error.code}</code> <Said text={error.message} class="dim" />
  </span>
);

/** The runs of the project, the newest first. */
export default function Page() {
  const path = filteredPath('/runs', ['status', 'session', 'from', 'to']);
  const list = useList<RunView>(path);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const mayRun = may('run');
  const act = (call: Promise<unknown>, said: string): void =>
    void call.then(
      () => {
        setProblem(null);
        announce(said);
        list.refresh();
      },
      (error: unknown) => setProblem(asProblem(error)),
    );
  const columns = mayRun ? [...COLUMNS, actionsColumn(act)] : COLUMNS;
  const empty = list.data?.length === 0 ? <NoRuns isFiltered={path !== '/runs'} /> : null;
  return (
    <div class="page">
      <PageHead title="Runs" />
      <Filters>
        <StatusFilter statuses={RUN_STATUSES} />
        <SessionFilter />
        <PeriodFilter />
        <span class="grow" />
        <CopyCurl call={{ path }} />
      </Filters>
      {problem !== null && <Failure problem={problem} />}
      <Region name="Runs" polled={list} empty={empty}>
        <Table name="Runs" columns={columns} rows={list.data ?? []} keyOf={(run) => run.run_id} />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
    </div>
  );
}

const actionsColumn = (act: (call: Promise<unknown>, said: string) => void): Column<RunView> => ({
  name: 'Actions',
  unnamed: true,
  end: true,
  cell: (run) => <RunActions run={run} act={act} />,
});

interface RunActionsProps {
  readonly run: RunView;
  readonly act: (call: Promise<unknown>, said: string) => void;
}

function RunActions({ run, act }: RunActionsProps) {
  const [isBusy, setBusy] = useState(false);
  // Made once, so that a press that was cut is the same request when it is pressed again.
  const [key] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join('-'));
  const call = `/runs/${encodeURIComponent(run.run_id)}`;
  const go = (asked: Promise<unknown>, said: string): void => {
    setBusy(true);
    act(
      asked.finally(() => setBusy(false)),
      said,
    );
  };
  if (isUnderWay(run))
    return (
      <Button
        small
        idle={isBusy}
        onClick={() => go(api.post(`${call}/cancel`), 'The run is being cancelled')}
      >
        Cancel run
      </Button>
    );
  if (run.status !== 'failed' && run.status !== 'cancelled') return null;
  const headers = { 'idempotency-key': key };
  return (
    <Button
      small
      idle={isBusy}
      onClick={() =>
        go(api.post(`${call}/retry`, { background: true }, { headers }), 'The run is tried again')
      }
    >
      Retry run
    </Button>
  );
}

/** There while the query names a session: takes it out again. */
function SessionFilter() {
  const session = place.value.query.get('session');
  if (session === null || session === '') return null;
  return (
    <span class="pick">
      <span class="dim">Session</span> <Said text={session} class="mono" />
      <Button
        small
        icon="cross"
        kind="ghost"
        label="Any session"
        onClick={() => setQuery({ session: null })}
      />
    </span>
  );
}

const NoRuns = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No such runs" sentence="None is like that in this period.">
      <div class="do">
        <Link href="/console/runs" class="btn">
          Show all runs
        </Link>
      </div>
    </Empty>
  ) : (
    <Empty
      title="No runs"
      sentence="Each message to an agent starts a run. They stand here with what they cost."
    >
      <Curl call={{ method: 'POST', path: '/', body: { message: 'Hello!' } }} />
    </Empty>
  );
