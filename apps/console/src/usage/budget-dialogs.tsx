import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { api } from '../api/client.js';
import { auth } from '../app/session.js';
import { segment } from '../lists/path.js';
import { useAct } from '../lists/use-act.js';
import { Dialog } from '../parts/dialog.js';
import { DialogForm, SelectField, TextField } from '../parts/form.js';
import { type BudgetView, PERIODS, limitInWords } from './budget.js';

interface BudgetDialogProps {
  /** null: a new one. */
  readonly of: BudgetView | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const pathOf = ({ scope, id }: Pick<BudgetView, 'scope' | 'id'>): string =>
  `/budgets/${scope}/${segment(id)}`;

/** Adds a budget, or changes one. */
export function BudgetDialog({ of, onClose, onSaved }: BudgetDialogProps) {
  const act = useAct();
  const [scope, setScope] = useState<BudgetView['scope']>(of?.scope ?? 'project');
  const [id, setId] = useState(of?.id ?? auth.value?.key?.project ?? '');
  const [limit, setLimit] = useState(of?.limit ?? '');
  const [period, setPeriod] = useState<BudgetView['period']>(of?.period ?? 'month');
  const save = (): void =>
    act.run('save', async () => {
      await api.put(pathOf({ scope, id: id.trim() }), { limit: limit.trim().replace(/^\$/, ''), period });
      onSaved();
      onClose();
      return of === null ? 'Budget added' : 'Budget changed';
    });
  return (
    <Dialog title={of === null ? 'Add budget' : 'Change budget'} onClose={onClose}>
      <DialogForm
        submit="Save budget"
        problem={act.problem}
        disabled={act.busy !== null}
        onSubmit={save}
        onClose={onClose}
      >
        {of === null ? (
          <Whose scope={scope} id={id} onScope={setScope} onId={setId} />
        ) : (
          <p class="lead">
            Of {of.scope} <Bdi text={of.id} />. What was spent in the period before counts, too.
          </p>
        )}
        <TextField
          label="Limit"
          hint="US dollars, such as 25 or 0.50."
          kind="decimal"
          required
          value={limit}
          onChange={setLimit}
        />
        <SelectField
          label="Period"
          hint="Days and months are those of UTC."
          value={period}
          options={PERIOD_OPTIONS}
          onChange={setPeriod}
        />
      </DialogForm>
    </Dialog>
  );
}

const PERIOD_OPTIONS = PERIODS.map((of) => [of, of === 'total' ? 'In all' : `A ${of}`] as const);
const OWNERS = [
  ['project', 'A project'],
  ['key', 'A key'],
] as const;

interface WhoseProps {
  readonly scope: BudgetView['scope'];
  readonly id: string;
  readonly onScope: (scope: BudgetView['scope']) => void;
  readonly onId: (id: string) => void;
}

function Whose({ scope, id, onScope, onId }: WhoseProps) {
  const choose = (next: BudgetView['scope']): void => {
    onScope(next);
    onId(next === 'project' ? (auth.value?.key?.project ?? '') : '');
  };
  return (
    <>
      <SelectField label="Budget of" value={scope} options={OWNERS} onChange={choose} />
      <TextField label={scope === 'project' ? 'Project' : 'Key id'} required value={id} onChange={onId} />
    </>
  );
}

interface RemoveBudgetProps {
  readonly of: BudgetView;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

export function RemoveBudget({ of, onClose, onRemoved }: RemoveBudgetProps) {
  const act = useAct();
  const remove = (): void =>
    act.run('remove', async () => {
      await api.delete(pathOf(of));
      onRemoved();
      onClose();
      return 'Budget removed';
    });
  return (
    <Dialog title="Remove budget" onClose={onClose}>
      <DialogForm
        submit="Remove budget"
        danger
        problem={act.problem}
        disabled={act.busy !== null}
        onSubmit={remove}
        onClose={onClose}
      >
        <p class="lead">
          {of.scope} <Bdi text={of.id} />, {limitInWords(of)}. Runs that wait because it is reached go on
          within two seconds, and nothing holds what comes.
        </p>
      </DialogForm>
    </Dialog>
  );
}
