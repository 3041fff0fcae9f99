import type { RecordedSessionEvent } from '#domain/browser';
import { Bdi } from '../conversation/bdi.js';
import { useList } from '../api/list.js';
import { ERASED_SEEN_MS, usePolled } from '../api/polled.js';
import type { RunView, SessionView } from '../api/types.js';
import { Link } from '../app/link.js';
import type { PageProps } from '../app/routes.js';
import type { DeliveryView } from '../deliveries/delivery.js';
import { DeliveriesTable } from '../deliveries/deliveries-table.js';
import { useKeyNames } from '../conversation/key-names.js';
import { may } from '../lists/may.js';
import { pathWith, runPath, segment } from '../lists/path.js';
import { useAct } from '../lists/use-act.js';
import { Missing, isMissing } from '../parts/missing.js';
import { PageHead } from '../parts/page-head.js';
import { Failure, Region } from '../parts/region.js';
import { Said, useNow } from '../parts/values.js';
import { Receipt } from '../run/receipt.js';
import { RunActions, hasEnded } from '../run/run-actions.js';
import { RunFacts, RunTrouble, RunUsage } from '../run/run-facts.js';
import { RunSettings } from '../run/run-settings.js';
import { useRunLog } from '../run/use-run-log.js';
import { waterfallOf } from '../run/waterfall.js';
import { WaterfallTable } from '../run/waterfall-table.js';

/** One run: where its time went, what it was given, what it used, why it failed, and who was told. */
export default function Page({ params }: PageProps) {
  const id = params['run'] ?? '';
  const at = params['at'];
  const polled = usePolled<RunView>(`/runs/${segment(id)}`, ERASED_SEEN_MS);
  const run = polled.data;
  // Of a fork it may be the title of what it was forked from.
  const session = usePolled<SessionView>(
    run === null ? null : `/sessions/${segment(run.session)}`,
    ERASED_SEEN_MS,
  );
  const nameOf = useKeyNames();
  const act = useAct();
  const title = session.data?.title ?? run?.session ?? '';
  const nameless = isMissing(polled) ? 'No such run' : 'Run';
  return (
    <div class="page">
      <PageHead
        title={title === '' ? nameless : `Run in ${title}`}
        crumb={
          <>
            <Link href="/console/runs">Runs</Link> / <Bdi text={id} class="mono" />
            {at !== undefined && (
              <>
                {` at event ${at}, `}
                <Link href={runPath(id)}>show all of it</Link>
              </>
            )}
          </>
        }
        actions={run !== null && <RunActions of={run} at={at} act={act} onChanged={polled.refresh} />}
        facts={run !== null && <RunFacts of={run} nameOf={nameOf} />}
      >
        {title === '' ? (
          nameless
        ) : (
          <>
            Run in <Said text={title} />
          </>
        )}
      </PageHead>
      {act.problem !== null && <Failure problem={act.problem} />}
      {isMissing(polled) && <Missing />}
      <Region name="Run" polled={polled}>
        {run !== null && <Parts of={run} at={at} />}
      </Region>
    </div>
  );
}

function Parts({ of: run, at }: { readonly of: RunView; readonly at: string | undefined }) {
  const log = useRunLog(run.session, run.run_id, hasEnded(run));
  const until = at === undefined ? Infinity : Number(at);
  const events = (log.data ?? []).filter(({ revision }) => revision <= until);
  const request = events.find((event) => event.type === 'run_requested');
  return (
    <div class="sections">
      <RunTrouble of={run} />
      <div>
        <h2>Where the time went</h2>
        <Region name="Waterfall" polled={log}>
          <Waterfall of={run} events={events} isOpen={at === undefined && !hasEnded(run)} />
        </Region>
      </div>
      <div class="beside">
        <div>
          <h2>Settings</h2>
          {request?.type === 'run_requested' && <RunSettings request={request} session={run.session} />}
        </div>
        <div>
          <h2>Usage</h2>
          <RunUsage of={run} />
        </div>
      </div>
      <Receipt of={run} />
      <Deliveries of={run} />
    </div>
  );
}

/** A wait may take days: what is drawn of one that goes on is so much of what was before it. */
const WAIT_SHARE = 0.25;

interface WaterfallProps {
  readonly of: RunView;
  readonly events: readonly RecordedSessionEvent[];
  /** It goes on: its bars grow with the clock. */
  readonly isOpen: boolean;
}

function Waterfall({ of: run, events, isOpen }: WaterfallProps) {
  const now = useNow(1000);
  const times = events.map(({ time }) => time);
  const last = times.at(-1) ?? now;
  const end = run.status === 'waiting' ? last + Math.max(50, (last - (times[0] ?? last)) * WAIT_SHARE) : now;
  return (
    <WaterfallTable
      session={run.session}
      rows={waterfallOf(run.run_id, events)}
      times={times}
      end={isOpen ? Math.max(end, last) : last}
    />
  );
}

/** So many deliveries stand below a waterfall: all of them have a page of their own. */
const DELIVERIES = 10;

function Deliveries({ of: run }: { readonly of: RunView }) {
  const path = `/runs/${segment(run.run_id)}/deliveries?limit=${DELIVERIES}`;
  const list = useList<DeliveryView>(path, {
    everyMs: hasEnded(run) ? 5000 : 2000,
  });
  const act = useAct();
  const all = pathWith('/console/deliveries', { run: run.run_id });
  if (list.problem === null && (list.data === null || list.data.length === 0)) return null;
  // Those of one run do not repeat whose they are.
  const deliveries = (list.data ?? []).map((delivery) => ({
    ...delivery,
    run_id: run.run_id,
    session: run.session,
  }));
  return (
    <div>
      <div class="section-head">
        <h2>Deliveries</h2>
        <Link href={all}>Show in Deliveries</Link>
      </div>
      {act.problem !== null && <Failure problem={act.problem} />}
      <Region name="Deliveries" polled={list} rows={3}>
        <DeliveriesTable deliveries={deliveries} act={act} onResent={may('run') ? list.refresh : null} />
        {list.loadMore !== null && (
          <p class="meta">
            These are {DELIVERIES} of them. <Link href={all}>Show all in Deliveries</Link>
          </p>
        )}
      </Region>
    </div>
  );
}
