import { api } from '../api/client.js';
import { may } from '../lists/may.js';
import { segment } from '../lists/path.js';
import type { Act } from '../lists/use-act.js';
import { Button } from '../parts/controls.js';
import type { IconName } from '../parts/sprite.js';
import type { TaskView } from './task.js';

interface TaskButtonsProps {
  readonly of: TaskView;
  readonly act: Act;
  readonly onChanged: (task: TaskView) => void;
  readonly small?: boolean;
}

const SAID = { pause: 'Task paused', resume: 'Task resumed', cancel: 'Task cancelled' } as const;

/** What can be done with a task as it is. */
export function TaskButtons({
  of: { task_id: id, status },
  act,
  onChanged,
  small = false,
}: TaskButtonsProps) {
  if (!may('run') || status === 'finished' || status === 'cancelled') return null;
  const change = (what: keyof typeof SAID): void =>
    act.run(`${what} ${id}`, async () => {
      onChanged(await api.post<TaskView>(`/tasks/${segment(id)}/${what}`));
      return SAID[what];
    });
  const isBusy = act.busy !== null;
  // In a row there is no room for them.
  const iconOf = (icon: IconName) => (small ? {} : { icon });
  return (
    <span class="row-do">
      {status === 'scheduled' ? (
        <Button small={small} {...iconOf('pause')} idle={isBusy} onClick={() => change('pause')}>
          Pause
        </Button>
      ) : (
        <Button small={small} {...iconOf('play')} idle={isBusy} onClick={() => change('resume')}>
          Resume
        </Button>
      )}
      <Button
        small={small}
        kind="danger"
        {...iconOf('stop')}
        disabled={isBusy}
        onClick={() => change('cancel')}
      >
        Cancel task
      </Button>
    </span>
  );
}
