import { useState } from 'preact/hooks';
import { Button, Field } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';

interface DenyProps {
  readonly onClose: () => void;
  readonly onDeny: (reason: string) => void;
}

/** Asks for the reason of a denial. */
export function Deny({ onClose, onDeny }: DenyProps) {
  const [reason, setReason] = useState('');
  return (
    <Dialog title="Deny" onClose={onClose}>
      <p>The call is not made. The agent is told so, with the reason.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onDeny(reason.trim());
        }}
      >
        <Field label="Reason">
          {(id) => (
            <textarea
              id={id}
              rows={3}
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="do end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger">
            Deny call
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
