import { useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { idempotencyKey } from '../lists/path.js';
import { useAct } from '../lists/use-act.js';
import { Switch } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm, SelectField, TextField } from '../parts/form.js';
import type { DatastoreView } from './datastore.js';

interface NewDatastoreProps {
  readonly onClose: () => void;
  readonly onCreated: (made: DatastoreView) => void;
}

/** Makes a datastore of documents, or one that is a database elsewhere. */
export function NewDatastore({ onClose, onCreated }: NewDatastoreProps) {
  const act = useAct();
  const key = useRef(idempotencyKey());
  const [name, setName] = useState('');
  const [type, setType] = useState<DatastoreView['type']>('documents');
  const [connection, setConnection] = useState('');
  const [isReadOnly, setReadOnly] = useState(true);
  const create = (): void =>
    act.run('create', async () => {
      const metadata = { connectionString: connection.trim(), readOnly: isReadOnly };
      const body = { name: name.trim(), type, ...(type === 'database' ? { metadata } : {}) };
      const headers = { 'Idempotency-Key': key.current };
      // What was refused is another request the next time.
      key.current = idempotencyKey();
      onCreated(await api.post<DatastoreView>('/create-datastore', body, { headers }));
      return 'Datastore created';
    });
  return (
    <Dialog title="New datastore" onClose={onClose}>
      <DialogForm
        submit="Create datastore"
        problem={act.problem}
        disabled={act.busy !== null}
        onSubmit={create}
        onClose={onClose}
      >
        <TextField label="Name" required maxLength={200} value={name} onChange={setName} />
        <SelectField label="Type" value={type} options={TYPES} onChange={setType} />
        {type === 'database' && (
          <>
            <TextField
              label="Connection string"
              hint="postgres:// or mysql://; kept encrypted, and never shown again."
              kind="password"
              required
              value={connection}
              onChange={setConnection}
            />
            <Switch label="Read only" on={isReadOnly} onChange={setReadOnly} />
          </>
        )}
      </DialogForm>
    </Dialog>
  );
}

const TYPES = [
  ['documents', 'Documents'],
  ['database', 'Database'],
] as const;
