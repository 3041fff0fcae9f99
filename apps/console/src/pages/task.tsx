import { useState } from 'preact/hooks';
import { ERASED_SEEN_MS, usePolled } from '../api/polled.js';
import { Link } from '../app/link.js';
import type { PageProps } from '../app/routes.js';
import { runPath, segment, sessionPath } from '../lists/path.js';
import { useAct } from '../lists/use-act.js';
import { Button, CopyCurl } from '../parts/controls.js';
import { dayAndTime } from '../parts/format.js';
import { Missing, isMissing } from '../parts/missing.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failure, Region } from '../parts/region.js';
import { Pill, StatusWord } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { Said, Time, useNow } from '../parts/values.js';
import { nextSlots } from '../tasks/next-slots.js';
import { isCron, scheduleInWords } from '../tasks/schedule-words.js';
import { TaskButtons } from '../tasks/task-buttons.js';
import type { Firing, TaskView } from '../tasks/task.js';

const SLOTS = 5;
const FIRINGS = 25;

/** One task: when it fires, and when it fired. */
export default function Page({ params }: PageProps) {
  const path = `/tasks/${segment(params['task'] ?? '')}`;
  const polled = usePolled<TaskView>(path, ERASED_SEEN_MS);
  const act = useAct();
  const task = polled.data;
  return (
    <div class="page">
      <PageHead
        title="Task"
        crumb={<Link href="/console/tasks">Tasks</Link>}
        actions={
          <>
            <CopyCurl call={{ path }} small={false} />
            {task !== null && <TaskButtons of={task} act={act} onChanged={polled.refresh} />}
          </>
        }
        facts={task !== null && <Facts of={task} />}
      />
      {act.problem !== null && <Failure problem={act.problem} />}
      {isMissing(polled) && <Missing />}
      <Region name="Task" polled={polled}>
        {task !== null && (
          <div class="sections">
            <div>
              <h2>Message</h2>
              <p class="quote">
                <Said text={task.message} />
              </p>
            </div>
            <Slots of={task} />
            <Firings of={task} />
          </div>
        )}
      </Region>
    </div>
  );
}

const Facts = ({ of: task }: { readonly of: TaskView }) => (
  <>
    <Pill status={task.status} />
    <b>{scheduleInWords(task)}</b>
    <span>
      asked for <Time at={task.created_at} full />
    </span>
    <Link href={sessionPath(task.session)}>Open session</Link>
  </>
);

function Slots({ of: task }: { readonly of: TaskView }) {
  const now = useNow(60_000);
  const next = task.next_run_at;
  if (next === null) return null;
  const first = Date.parse(next);
  const more =
    isCron(task) && typeof task.schedule === 'string'
      ? nextSlots(task.schedule, task.timezone, Math.max(first, now), SLOTS - 1)
      : [];
  return (
    <div>
      <h2>{more.length === 0 ? 'Next slot' : 'Next slots'}</h2>
      <Table
        name="Next slots"
        rows={[first, ...more]}
        keyOf={String}
        columns={[
          {
            name: 'Local',
            cell: (at) => <time dateTime={new Date(at).toISOString()}>{dayAndTime(at, false)}</time>,
          },
          { name: 'UTC', cell: (at) => dayAndTime(at, true) },
        ]}
      />
    </div>
  );
}

function Firings({ of: { firings } }: { readonly of: TaskView }) {
  const [shown, setShown] = useState(FIRINGS);
  if (firings.length === 0)
    return (
      <Empty
        title="It has not fired"
        sentence="Each slot that fires starts a run in the session, and stands here."
      />
    );
  return (
    <div>
      <h2>Firings</h2>
      <Table
        name="Firings"
        rows={firings.slice(0, shown)}
        keyOf={({ slot }) => slot}
        columns={[
          { name: 'Slot', cell: ({ slot }) => <Time at={slot} full /> },
          { name: 'Status', cell: (firing) => <FiringStatus of={firing} /> },
          { name: 'Fired', cell: ({ fired_at: at }) => <Time at={at} full /> },
          {
            name: 'Run',
            grow: true,
            cell: ({ run_id: run, error }) => (
              <>
                {run !== null && (
                  <Link href={runPath(run)} class="mono">
                    {run}
                  </Link>
                )}
                {error !== undefined && <Said text={error.message} class="bad-text" />}
              </>
            ),
          },
        ]}
      />
      {shown < firings.length && (
        <div class="more-rows">
          <Button onClick={() => setShown(firings.length)}>Load more</Button>
        </div>
      )}
    </div>
  );
}

function FiringStatus({ of: { fired_at: at, late, error } }: { readonly of: Firing }) {
  if (error !== undefined) return <StatusWord status="failed" />;
  if (at === null) return <StatusWord status="stopped" word="Missed" />;
  return late ? (
    <StatusWord status="waiting" word="Late" />
  ) : (
    <StatusWord status="completed" word="On time" />
  );
}
