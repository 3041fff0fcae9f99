import { useState } from 'preact/hooks';
import { navigate } from '../app/router.js';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { Button, Field } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Failure } from '../parts/region.js';
import type { SessionModel } from './model.js';
import { eraseSession, forkSession } from './session-data.js';

interface DialogProps {
  readonly model: SessionModel;
  readonly onClose: () => void;
}

/** Has an action done once at a time, and says why it was not. */
function useDoing(act: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const run = (event: Event): void => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    act()
      .catch((error: unknown) => setProblem(asProblem(error)))
      .finally(() => setBusy(false));
  };
  return { isBusy, problem, run };
}

/** A new session that goes on from an event of this one. */
export function ForkDialog({ model, onClose }: DialogProps) {
  const [at, setAt] = useState(String(Math.max(model.at.value, 0)));
  const [title, setTitle] = useState('');
  const { isBusy, problem, run } = useDoing(async () => {
    const fork = await forkSession(model.store.session, Number(at), title);
    onClose();
    navigate(`/console/sessions/${fork}`);
  });
  return (
    <Dialog title="Fork session" onClose={onClose}>
      <p>
        The fork begins as this session stood at the event, and is one of its own from there. Nothing is
        copied, and nothing here changes.
      </p>
      <form onSubmit={run}>
        <Field label="At event">
          {(id) => (
            <input
              id={id}
              type="number"
              required
              min={0}
              max={Math.max(model.last.value, 0)}
              step={1}
              value={at}
              onInput={(event) => setAt(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Title" hint="Empty: as this one is called">
          {(id, describedBy) => (
            <input
              id={id}
              type="text"
              aria-describedby={describedBy}
              maxLength={200}
              value={title}
              onInput={(event) => setTitle(event.currentTarget.value)}
            />
          )}
        </Field>
        {problem !== null && <Failure problem={problem} />}
        <div class="do end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="pri" type="submit" disabled={isBusy}>
            Create fork
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What was said goes for good: whoever means it types which session it is. */
export function EraseDialog({ model, onClose }: DialogProps) {
  const { session } = model.store;
  const [typed, setTyped] = useState('');
  const { isBusy, problem, run } = useDoing(async () => {
    await eraseSession(session);
    onClose();
  });
  return (
    <Dialog title="Erase session" onClose={onClose}>
      <p>
        Its messages, results and files are gone for good, for everybody: its key is destroyed. Runs under way
        end. Forks lose what they share with it.
      </p>
      <form onSubmit={run}>
        <Field label="Session id" hint={`Type ${session} to erase it`}>
          {(id, describedBy) => (
            <input
              id={id}
              type="text"
              class="mono"
              aria-describedby={describedBy}
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        {problem !== null && <Failure problem={problem} />}
        <div class="do end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={isBusy || typed.trim() !== session}>
            Erase for good
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
