import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import { Link } from '../app/link.js';
import { segment, sessionPath } from '../lists/path.js';
import type { Act } from '../lists/use-act.js';
import { Button } from '../parts/controls.js';
import { duration } from '../parts/format.js';
import { StatusWord } from '../parts/status.js';
import { type Column, Table } from '../parts/table.js';
import { Age, Count, Said, Time, useNow } from '../parts/values.js';
import { type DeliveryView, hostOf, lastAnswer } from './delivery.js';

interface DeliveriesTableProps {
  readonly deliveries: readonly DeliveryView[];
  readonly act: Act;
  /** null: the key may not send them again. */
  readonly onResent: (() => void) | null;
}

/** Deliveries with what became of them; one can be sent again. */
export function DeliveriesTable({ deliveries, act, onResent }: DeliveriesTableProps) {
  const columns: readonly Column<DeliveryView>[] = [
    { name: 'Status', cell: ({ status }) => <StatusWord status={status} /> },
    {
      name: 'Event',
      grow: true,
      cell: ({ session, event_id: event, type }) => (
        <Link href={sessionPath(session, event)} class="mono">
          {event} {type}
        </Link>
      ),
    },
    { name: 'Target', class: 'tight', cell: ({ target }) => <Said text={hostOf(target)} /> },
    { name: 'Tries', end: true, cell: ({ attempts }) => <Count of={attempts} /> },
    { name: 'Last answer', cell: (delivery) => <LastAnswer delivery={delivery} /> },
    { name: 'Last try', cell: ({ last_attempt_at: at }) => <Age at={at} /> },
    { name: 'Next try', cell: ({ next_attempt_at: at }) => <NextTry at={at} /> },
    ...(onResent === null ? [] : [resendColumn(act, onResent)]),
  ];
  return (
    <Table
      name="Deliveries"
      columns={columns}
      rows={deliveries}
      keyOf={({ run_id: run, delivery_id: id }) => `${run} ${id}`}
    />
  );
}

function resendColumn(act: Act, onResent: () => void): Column<DeliveryView> {
  const resend = ({ run_id: run, delivery_id: id, event_id: event }: DeliveryView): void =>
    act.run(id, async () => {
      await api.post(`/runs/${segment(run)}/deliveries/${segment(id)}/resend`);
      onResent();
      return `Event ${event} is sent again`;
    });
  return {
    name: 'Resend',
    unnamed: true,
    end: true,
    cell: (delivery) => (
      <Button small idle={act.busy !== null} onClick={() => resend(delivery)}>
        Resend
      </Button>
    ),
  };
}

function LastAnswer({ delivery }: { readonly delivery: DeliveryView }) {
  const [isOpen, setOpen] = useState(false);
  const answer = lastAnswer(delivery);
  if (answer === '') return <span class="none-there">–</span>;
  const { last_response: response } = delivery;
  if (response === null || response === '') return <Said text={answer} />;
  return (
    <details class="answer" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Bdi text={answer} />
      </summary>
      {isOpen && <Said text={response} class="mono" />}
    </details>
  );
}

function NextTry({ at }: { readonly at: string | null }) {
  const now = useNow(1000);
  if (at === null) return <span class="none-there">–</span>;
  const ms = Date.parse(at) - now;
  return ms > 0 ? <span title={at}>in {duration(Math.ceil(ms / 1000) * 1000)}</span> : <Time at={at} />;
}
