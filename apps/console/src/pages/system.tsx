import { usePoll, usePolled } from '../api/polled.js';
import { unreachable } from '../api/problem.js';
import { figureText, figuresOf, versionOf } from '../system/figures.js';
import { type Follower, type Sample, followersOf, readMetrics } from '../system/metrics.js';
import { CopyCurl } from '../parts/controls.js';
import { duration } from '../parts/format.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Region } from '../parts/region.js';
import { Pill, StatusWord } from '../parts/status.js';
import { Table } from '../parts/table.js';
import { Count, Said } from '../parts/values.js';

const EVERY_MS = 5000;

/** The answer of `/readyz`, which is one with status 503, too. */
interface Readiness {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, { readonly status: 'ok' | 'failing'; readonly detail?: string }>>;
}

async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const answer = await fetch('/readyz', { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw unreachable();
  });
  return (await answer.json()) as Readiness;
}

/** How the replica that answers is doing: its checks, and its figures in words. */
export default function Page() {
  const ready = usePoll<Readiness>('/readyz', readReadiness, EVERY_MS);
  const metrics = usePolled<string>('/metrics', EVERY_MS);
  const samples = metrics.data === null ? [] : readMetrics(metrics.data);
  const version = versionOf(samples);
  return (
    <div class="page">
      <PageHead
        title="System"
        actions={<CopyCurl call={{ path: '/metrics' }} />}
        facts={
          <>
            {ready.data !== null && (
              <Pill status={ready.data.status === 'ok' ? 'ok' : 'failing'} word={readyWord(ready.data)} />
            )}
            {version !== null && <span>Version {version}</span>}
          </>
        }
      />
      <div class="sections">
        <Checks ready={ready} />
        <Followers metrics={metrics} samples={samples} />
        <Figures metrics={metrics} samples={samples} />
      </div>
    </div>
  );
}

const readyWord = ({ status }: Readiness): string => (status === 'ok' ? 'Ready' : 'Not ready');

function Checks({ ready }: { readonly ready: ReturnType<typeof usePoll<Readiness>> }) {
  const rows = Object.entries(ready.data?.checks ?? {});
  return (
    <div>
      <h2>Checks</h2>
      <Region name="Checks of the service" polled={ready} rows={3}>
        <Table
          name="Checks"
          rows={rows}
          keyOf={([name]) => name}
          columns={[
            { name: 'Check', cell: ([name]) => name },
            { name: 'Status', cell: ([, { status }]) => <StatusWord status={status} /> },
            {
              name: 'Detail',
              grow: true,
              cell: ([, { detail }]) => detail !== undefined && <Said text={detail} />,
            },
          ]}
        />
      </Region>
    </div>
  );
}

/** In seconds, as alerts count it; a long one in words. */
const lagInWords = (lagS: number): string => (lagS < 60 ? `${lagS.toFixed(1)} s` : duration(lagS * 1000));

interface MetricsProps {
  readonly metrics: ReturnType<typeof usePolled<string>>;
  readonly samples: readonly Sample[];
}

const NoFollowers = () => (
  <Empty
    title="No followers to be seen"
    sentence="What reads the log is told of to the first admin key, and to keys with the scope metrics: it is of all projects."
  />
);

function Followers({ metrics, samples }: MetricsProps) {
  const rows = followersOf(samples);
  return (
    <div>
      <h2>Followers</h2>
      <p class="lead">What reads the log and does something with it: how far each is behind.</p>
      <Region
        name="Followers of the log"
        polled={metrics}
        rows={5}
        empty={rows.length === 0 ? <NoFollowers /> : null}
      >
        <Table
          name="Followers"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Follower', grow: true, cell: ({ name }) => name },
            { name: 'Status', cell: (follower) => <FollowerStatus of={follower} /> },
            { name: 'Lag', end: true, cell: ({ lagS }) => lagInWords(lagS) },
            { name: 'Behind', end: true, cell: ({ behind }) => <Count of={behind} /> },
            { name: 'Failures', end: true, cell: ({ failures }) => <Count of={failures} /> },
            { name: 'Parked', end: true, cell: ({ parked }) => <Count of={parked} /> },
          ]}
        />
      </Region>
    </div>
  );
}

function FollowerStatus({ of: { failures, parked, isRunning } }: { readonly of: Follower }) {
  if (failures > 0) return <StatusWord status="failing" />;
  if (parked > 0) return <StatusWord status="waiting" word="Parked events" />;
  return isRunning ? (
    <StatusWord status="ok" word="Runs here" />
  ) : (
    <StatusWord status="queued" word="Elsewhere" />
  );
}

function Figures({ metrics, samples }: MetricsProps) {
  const figures = figuresOf(samples).filter(({ value }) => value !== null);
  return (
    <div>
      <h2>Figures</h2>
      <p class="lead">Of the replica that answered, since it started.</p>
      <Region name="Figures" polled={metrics} rows={4}>
        <dl class="figures">
          {figures.map((figure) => (
            <div key={figure.name}>
              <dt>{figure.name}</dt>
              <dd>{figureText(figure)}</dd>
            </div>
          ))}
        </dl>
      </Region>
    </div>
  );
}
