import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import type { Scope } from '../api/types.js';
import { auth } from '../app/session.js';
import { type Act, useAct } from '../lists/use-act.js';
import { Button, Copy, Field } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm, TextField } from '../parts/form.js';
import { type NewKey, SCOPES } from './key.js';

interface NewKeyProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Makes a key, and shows it once: it is nowhere else, and gone when the dialog closes. */
export function NewKeyDialogs({ onClose, onCreated }: NewKeyProps) {
  const act = useAct();
  const [made, setMade] = useState<NewKey | null>(null);
  const create = (body: object): void =>
    act.run('create', async () => {
      setMade(await api.post<NewKey>('/api-keys', body));
      onCreated();
      return 'Key created';
    });
  if (made !== null) return <KeyCreated made={made} onClose={onClose} />;
  return (
    <Dialog title="New key" onClose={onClose}>
      <NewKeyForm act={act} onCreate={create} onClose={onClose} />
    </Dialog>
  );
}

interface NewKeyFormProps {
  readonly act: Act;
  readonly onCreate: (body: object) => void;
  readonly onClose: () => void;
}

function NewKeyForm({ act, onCreate, onClose }: NewKeyFormProps) {
  const [name, setName] = useState('');
  const [project, setProject] = useState(auth.value?.key?.project ?? '');
  const [scopes, setScopes] = useState<readonly Scope[]>(['run', 'read']);
  const toggle = (scope: Scope, isOn: boolean): void =>
    setScopes(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope));
  const create = (): void => {
    const of = project.trim();
    onCreate({ name: name.trim(), scopes, ...(of === '' ? {} : { project: of }) });
  };
  return (
    <DialogForm
      submit="Create key"
      problem={act.problem}
      disabled={act.busy !== null || scopes.length === 0}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Whose it is, or what it is for."
        required
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <fieldset class="checks">
        <legend>Scopes</legend>
        {SCOPES.map(([scope, words]) => (
          <label key={scope}>
            <input
              type="checkbox"
              aria-label={scope}
              checked={scopes.includes(scope)}
              onChange={(event) => toggle(scope, event.currentTarget.checked)}
            />
            <b>{scope}</b> <span class="meta">{words}</span>
          </label>
        ))}
      </fieldset>
      <TextField label="Project" maxLength={200} value={project} onChange={setProject} />
    </DialogForm>
  );
}

function KeyCreated({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  return (
    <Dialog title="Key created" onClose={onClose} stays>
      <p>
        The key of <Bdi text={made.name} />, shown this once: it is kept as a hash only. Copy it before you
        close this.
      </p>
      <Field label="Key">{(id) => <Shown id={id} text={made.key} />}</Field>
      <div class="do end">
        <Copy text={made.key} small={false}>
          Copy key
        </Copy>
      </div>
      <Field label="Webhook secret" hint="With it receivers check that a callback of its runs is ours.">
        {(id, note) => <Shown id={id} text={made.webhook_secret} note={note} />}
      </Field>
      <div class="do end">
        <Button kind="pri" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

interface ShownProps {
  readonly id: string;
  readonly text: string;
  readonly note?: string | undefined;
}

/** A text to be copied, which a press selects as a whole. */
export const Shown = ({ id, text, note }: ShownProps) => (
  <input
    id={id}
    class="mono"
    type="text"
    readOnly
    autoComplete="off"
    spellcheck={false}
    value={text}
    aria-describedby={note}
    onFocus={(event) => event.currentTarget.select()}
  />
);
