import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.js';
import type { Page, RunView } from '../api/types.js';
import { Link } from '../app/link.js';
import { navigate } from '../app/router.js';
import { pathWith, segment } from '../lists/path.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm, TextField } from '../parts/form.js';
import { Region } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { Age } from '../parts/values.js';

interface CompareDialogProps {
  readonly of: RunView;
  readonly onClose: () => void;
}

const EVERY_MS = 5000;

export const diffPath = (a: string, b: string): string => `/console/diff/${segment(a)}/${segment(b)}`;

/** Asks which run this one is held against: one that it gives again or goes on with, one of its session, or any other. */
export function CompareDialog({ of: run, onClose }: CompareDialogProps) {
  const [id, setId] = useState(run.replay_of ?? run.retry_of ?? '');
  const others = usePolled<Page<RunView>>(pathWith('/runs', { session: run.session, limit: '10' }), EVERY_MS);
  const rows = (others.data?.items ?? []).filter(({ run_id: other }) => other !== run.run_id);
  return (
    <Dialog title="Compare" onClose={onClose}>
      <DialogForm
        submit="Compare runs"
        problem={null}
        disabled={id.trim() === ''}
        onSubmit={() => navigate(diffPath(run.run_id, id.trim()))}
        onClose={onClose}
      >
        <Region name="Runs of the session" polled={others} rows={3} empty={rows.length === 0 ? <></> : null}>
          <p class="meta">Of the same session</p>
          <ul class="choices">
            {rows.map((other) => (
              <li key={other.run_id}>
                <StatusWord status={other.status} />
                <Link href={diffPath(run.run_id, other.run_id)} class="mono">
                  {other.run_id}
                </Link>
                <Age at={other.created_at} />
              </li>
            ))}
          </ul>
        </Region>
        <TextField label="Other run" hint="The id of any run of the project." value={id} onChange={setId} />
      </DialogForm>
    </Dialog>
  );
}
