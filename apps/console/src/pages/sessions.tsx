import { useList } from '../api/list.js';
import { RUN_STATUSES, type SessionView } from '../api/types.js';
import { Link } from '../app/link.js';
import { may } from '../app/session.js';
import { CopyCurl, Curl } from '../parts/controls.js';
import { Filters, PeriodFilter, StatusFilter, filteredPath } from '../parts/filters.js';
import { Icon } from '../parts/icon.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, LoadMore, Region } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Count, Money, Said } from '../parts/values.js';

const COLUMNS: readonly Column<SessionView>[] = [
  {
    name: 'Title',
    grow: true,
    cell: ({ session, title }) => (
      <Link href={`/console/sessions/${encodeURIComponent(session)}`} class="row-link">
        {title === null ? <Said text={session} class="mono" /> : <Said text={title} />}
      </Link>
    ),
  },
  {
    name: 'Status',
    cell: ({ last_status: status }) => (status === null ? <None /> : <StatusWord status={status} />),
  },
  { name: 'Messages', end: true, cell: ({ message_count: n }) => <Count of={n} /> },
  { name: 'Cost', end: true, cell: ({ cost }) => <Money amount={cost} /> },
  { name: 'Began', end: true, cell: ({ created_at: at }) => <Age at={at} /> },
];

const None = () => <span class="none-there">no run yet</span>;

/** All sessions of the project, the newest first. */
export default function Page() {
  const path = filteredPath('/sessions', ['status', 'from', 'to']);
  const list = useList<SessionView>(path);
  const mayRun = may('run');
  const isFiltered = path !== '/sessions';
  const empty =
    list.data?.length === 0 ? isFiltered ? <NothingFound /> : <NoSessions mayRun={mayRun} /> : null;
  return (
    <div class="page">
      <PageHead title="Sessions" actions={mayRun && <NewChat />} />
      <Filters>
        <StatusFilter statuses={RUN_STATUSES} />
        <PeriodFilter />
        <span class="grow" />
        <CopyCurl call={{ path }} />
      </Filters>
      <Region name="Sessions" polled={list} empty={empty}>
        <Table name="Sessions" columns={COLUMNS} rows={list.data ?? []} keyOf={({ session }) => session} />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
    </div>
  );
}

const NewChat = () => (
  <Link href="/console/chat" class="btn pri">
    <Icon name="chat" />
    New chat
  </Link>
);

const NoSessions = ({ mayRun }: { readonly mayRun: boolean }) => (
  <Empty
    title="No sessions"
    sentence="A session is a conversation and its log. The first message begins one."
  >
    {mayRun && (
      <div class="do">
        <NewChat />
      </div>
    )}
    <Curl call={{ method: 'POST', path: '/', body: { message: 'Hello!' } }} />
  </Empty>
);

const NothingFound = () => (
  <Empty title="No such sessions" sentence="None has this status and began in this period.">
    <div class="do">
      <Link href="/console/sessions" class="btn">
        Show all sessions
      </Link>
    </div>
  </Empty>
);
