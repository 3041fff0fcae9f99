import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import { pathWith, segment } from '../lists/path.js';
import { useAct } from '../lists/use-act.js';
import { Switch } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm } from '../parts/form.js';
import type { KeyView } from './key.js';

interface DeleteKeyProps {
  readonly of: KeyView;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Says what ends with a key before it is deleted. */
export function DeleteKey({ of: { id, name }, onClose, onDeleted }: DeleteKeyProps) {
  const act = useAct();
  const [isRotation, setRotation] = useState(false);
  const remove = (): void =>
    act.run('delete', async () => {
      const path = pathWith(`/api-keys/${segment(id)}`, { tasks: isRotation ? 'keep' : null });
      await api.delete(path);
      onDeleted();
      onClose();
      return 'Key deleted';
    });
  return (
    <Dialog title="Delete key" onClose={onClose}>
      <DialogForm
        submit="Delete key"
        danger
        problem={act.problem}
        disabled={act.busy !== null}
        onSubmit={remove}
        onClose={onClose}
      >
        <p class="lead">
          <Bdi text={name} /> is refused from then on, its sign-ins and open streams end within two seconds,
          and its tasks are paused. Its runs go on.
        </p>
        <Switch label="Leave its tasks going" on={isRotation} onChange={setRotation} />
      </DialogForm>
    </Dialog>
  );
}
