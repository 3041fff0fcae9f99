import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { RunView } from '../api/types.js';
import { navigate } from '../app/router.js';
import { Link } from '../app/link.js';
import { may } from '../lists/may.js';
import { idempotencyKey, runPath, segment, sessionPath } from '../lists/path.js';
import type { Act } from '../lists/use-act.js';
import { Button, CopyCurl } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { CompareDialog } from './compare-dialog.js';

export const hasEnded = ({ status }: Pick<RunView, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

interface RunActionsProps {
  readonly of: RunView;
  readonly at: string | undefined;
  readonly act: Act;
  readonly onChanged: () => void;
}

/** What can be done with a run as it is. */
export function RunActions({ of: run, at, act, onChanged }: RunActionsProps) {
  const [isComparing, setComparing] = useState(false);
  const isOver = hasEnded(run);
  const path = `/runs/${segment(run.run_id)}`;
  const cancel = (): void =>
    act.run('cancel', async () => {
      await api.post(`${path}/cancel`);
      onChanged();
      return 'Run cancelled';
    });
  const start = (what: 'retry' | 'replay', said: string): void =>
    act.run(what, async () => {
      const headers = { 'Idempotency-Key': idempotencyKey() };
      const started = await api.post<{ readonly run_id: string }>(
        `${path}/${what}`,
        { background: true },
        { headers },
      );
      navigate(runPath(started.run_id));
      return said;
    });
  const isBusy = act.busy !== null;
  return (
    <>
      {may('run') && !isOver && (
        <Button icon="stop" kind="danger" idle={isBusy} onClick={cancel}>
          Cancel run
        </Button>
      )}
      {may('run') && (run.status === 'failed' || run.status === 'cancelled') && (
        <Button icon="retry" idle={isBusy} onClick={() => start('retry', 'Retry started')}>
          Retry run
        </Button>
      )}
      {may('run') && isOver && (
        <Button icon="play" idle={isBusy} onClick={() => start('replay', 'Replay started')}>
          Replay run
        </Button>
      )}
      <Button onClick={() => setComparing(true)}>Compare</Button>
      <CopyCurl call={{ path }} small={false} />
      <Link class="btn pri" href={sessionPath(run.session, at ?? run.last_event_id)}>
        <Icon name="log" />
        Open in session
      </Link>
      {isComparing && <CompareDialog of={run} onClose={() => setComparing(false)} />}
    </>
  );
}
