import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { ApiProblem, api } from '../api/client.js';
import { useList } from '../api/list.js';
import { utc } from '../app/preferences.js';
import { place, setQuery } from '../app/router.js';
import { DELIVERY_STATUSES, type DeliveryView } from '../deliveries/delivery.js';
import { DeliveriesTable } from '../deliveries/deliveries-table.js';
import { may } from '../lists/may.js';
import { useAct } from '../lists/use-act.js';
import { Button, CopyCurl, Curl } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Filters, PeriodFilter, StatusFilter, filteredPath } from '../parts/filters.js';
import { DialogForm, TextField } from '../parts/form.js';
import { count } from '../parts/format.js';
import { instantOf, typedOf } from '../parts/instants.js';
import { PageHead } from '../parts/page-head.js';
import { Empty, Failure, LoadMore, Region } from '../parts/region.js';

const FILTERS = ['status', 'run', 'session', 'from', 'to'] as const;

/** Events that are sent to callbacks, and what became of them. */
export default function Page() {
  const { query } = place.value;
  const path = filteredPath('/deliveries', FILTERS);
  const list = useList<DeliveryView>(path);
  const act = useAct();
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="page">
      <PageHead title="Deliveries" />
      <Filters>
        <StatusFilter statuses={DELIVERY_STATUSES} />
        <PeriodFilter />
        <OnlyOf name="run" />
        <OnlyOf name="session" />
        <span class="grow" />
        <CopyCurl call={{ path }} />
        {may('run') && (
          <Button icon="send" onClick={() => setAsking(true)}>
            Resend all failed
          </Button>
        )}
      </Filters>
      {act.problem !== null && <Failure problem={act.problem} />}
      <Region name="Deliveries" polled={list} empty={list.data?.length === 0 ? <NoDeliveries /> : null}>
        <DeliveriesTable deliveries={list.data ?? []} act={act} onResent={may('run') ? list.refresh : null} />
        <LoadMore more={list.loadMore} loading={list.loading} />
      </Region>
      {isAsking && (
        <ResendAll onClose={() => setAsking(false)} onResent={list.refresh} from={since(query.get('from'))} />
      )}
    </div>
  );
}

/** There while the query names one: takes it out again. */
function OnlyOf({ name }: { readonly name: 'run' | 'session' }) {
  const of = place.value.query.get(name);
  if (of === null) return null;
  return (
    <Button small icon="cross" onClick={() => setQuery({ [name]: null })}>
      Of {name} <Bdi text={of} />
    </Button>
  );
}

function NoDeliveries() {
  const { query } = place.value;
  const isNarrowed = FILTERS.some((name) => query.has(name));
  if (isNarrowed)
    return (
      <Empty title="No deliveries" sentence="None is like that.">
        <Button onClick={() => setQuery({ status: null, run: null, session: null, from: null, to: null })}>
          Show all
        </Button>
      </Empty>
    );
  return (
    <Empty
      title="No deliveries"
      sentence={
        <>
          Runs with a <code>callback</code> send their events there.
        </>
      }
    >
      <Curl
        call={{
          method: 'POST',
          path: '/',
          body: { message: 'Hello', background: true, callback: { url: 'https://shop.example/hook' } },
        }}
      />
    </Empty>
  );
}

interface ResendAllProps {
  readonly onClose: () => void;
  readonly onResent: () => void;
  readonly from: string;
}

/** Asks since when, and sends all that failed since again. */
function ResendAll({ onClose, onResent, from }: ResendAllProps) {
  const act = useAct();
  const [since, setSince] = useState(from);
  const [resent, setResent] = useState<number | null>(null);
  const send = (): void =>
    act.run('resend', async () => {
      const at = instantOf(since, Date.now(), utc.value === 'on');
      if (at === null && since.trim() !== '') throw notATime();
      const body = { status: 'failed', ...(at === null ? {} : { from: new Date(at).toISOString() }) };
      const answer = await api.post<{ readonly resent: number }>('/deliveries/resend', body);
      setResent(answer.resent);
      onResent();
      return resentWords(answer.resent);
    });
  return (
    <Dialog title="Resend all failed" onClose={onClose}>
      {resent === null ? (
        <DialogForm
          submit="Resend"
          problem={act.problem}
          disabled={act.busy !== null}
          onSubmit={send}
          onClose={onClose}
        >
          <p class="lead">Every delivery that failed is tried once more.</p>
          <TextField
            label="Since"
            hint="Such as 2026-11-26 14:08 or 24 h ago; empty: all of them."
            value={since}
            onChange={setSince}
          />
        </DialogForm>
      ) : (
        <>
          <p>{resentWords(resent)}.</p>
          <div class="do end">
            <Button kind="pri" onClick={onClose}>
              Close
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** The filter of the list, as a field shows it. */
function since(from: string | null): string {
  const at = from === null ? null : instantOf(from, Date.now(), true);
  return at === null ? '' : typedOf(at, utc.value === 'on');
}

const notATime = (): ApiProblem =>
  new ApiProblem(
    400,
    'invalid_request',
    'Not a time',
    'Since takes 2026-11-26, 2026-11-26 14:08 or 24 h ago.',
  );

const resentWords = (resent: number): string =>
  resent === 1 ? '1 delivery is sent again' : `${count(resent)} deliveries are sent again`;
