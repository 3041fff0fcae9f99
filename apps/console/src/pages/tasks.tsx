import { useList } from '../api/list.js';
import { Bdi } from '../conversation/bdi.js';
import { Link } from '../app/link.js';
import { place, setQuery } from '../app/router.js';
import { sessionPath } from '../lists/path.js';
import { type Act, useAct } from '../lists/use-act.js';
import { Button, CopyCurl, Curl } from '../parts/controls.js';
import { Filters, StatusFilter, filteredPath } from '../parts/filters.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failure, LoadMore, Region } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Time } from '../parts/values.js';
import { scheduleInWords } from '../tasks/schedule-words.js';
import { TaskButtons } from '../tasks/task-buttons.js';
import { TASK_STATUSES, type TaskView, taskPath } from '../tasks/task.js';

/** What is scheduled. */
export default function Page() {
  const { query } = place.value;
  const [status, session] = [query.get('status'), query.get('session')];
  const path = filteredPath('/tasks', ['status', 'session']);
  const list = useList<TaskView>(path);
  const act = useAct();
  return (
    <div class="page">
      <PageHead title="Tasks" />
      <Filters>
        <StatusFilter statuses={TASK_STATUSES} />
        {session !== null && (
          <Button small icon="cross" onClick={() => setQuery({ session: null })}>
            Of session <Bdi text={session} />
          </Button>
        )}
        <span class="grow" />
        <CopyCurl call={{ path }} />
      </Filters>
      {act.problem !== null && <Failure problem={act.problem} />}
      <Region
        name="Tasks"
        polled={list}
        empty={list.data?.length === 0 ? <NoTasks isNarrowed={status !== null} /> : null}
      >
        <Table
          name="Tasks"
          columns={columnsOf(act, list.refresh)}
          rows={list.data ?? []}
          keyOf={({ task_id: id }) => id}
        />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
    </div>
  );
}

const columnsOf = (act: Act, refresh: () => void): readonly Column<TaskView>[] => [
  { name: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
  {
    name: 'Message',
    grow: true,
    cell: ({ task_id: id, message }) => (
      <Link href={taskPath(id)}>
        <Bdi text={message} class="said cut" />
      </Link>
    ),
  },
  { name: 'Schedule', class: 'wrap', cell: scheduleInWords },
  { name: 'Next', cell: ({ next_run_at: at }) => <Time at={at} full /> },
  { name: 'Last', cell: ({ last_run_at: at }) => <Age at={at} /> },
  { name: 'Session', cell: ({ session }) => <Link href={sessionPath(session)}>Open</Link> },
  {
    name: 'Actions',
    unnamed: true,
    end: true,
    cell: (task) => <TaskButtons of={task} act={act} onChanged={refresh} small />,
  },
];

const NoTasks = ({ isNarrowed }: { readonly isNarrowed: boolean }) =>
  isNarrowed ? (
    <Empty title="No tasks" sentence="None has this status.">
      <Button onClick={() => setQuery({ status: null, session: null })}>Show all</Button>
    </Empty>
  ) : (
    <Empty
      title="No tasks"
      sentence={
        <>
          A run with <code>schedules</code> is asked again later: once, or at every slot of a clock.
        </>
      }
    >
      <Curl
        call={{
          method: 'POST',
          path: '/',
          body: {
            message: 'Hello',
            background: true,
            schedules: [{ schedule: '0 9 * * 1-5', message: 'What is new today?' }],
          },
        }}
      />
    </Empty>
  );
