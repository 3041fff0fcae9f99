import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/problem.js';
import type { ActionView } from '../api/types.js';
import { announce } from '../app/status.js';
import { Bdi } from '../conversation/bdi.js';
import { Button } from '../parts/controls.js';
import { Failure } from '../parts/region.js';
import { Time } from '../parts/values.js';
import { ChangeInput, Changes } from './change-input.js';
import { type Decidable, decidableOf, mayDecide, outcomeOf } from './decidable.js';
import { type Decision, decide } from './decisions.js';
import { sendable } from './input-form.js';
import { Deny } from './deny.js';
import { GrantForm } from './grant-form.js';

export interface DecideProps {
  readonly action: Decidable;
  readonly nameOfKey: (id: string) => string;
  /** Told of what became of it, before it is read anew. */
  readonly onDecided?: (view: ActionView) => void;
}

/** What can be decided on an action, or what was. What is decided is shown at once, wherever the page hears of it first. */
export function Decide({ action: read, nameOfKey, onDecided }: DecideProps) {
  const place = useRef<HTMLParagraphElement>(null);
  const hasDecided = useRef(false);
  const [answered, setAnswered] = useState<ActionView | null>(null);
  const action = read.status === 'open' && answered?.action_id === read.id ? decidableOf(answered) : read;
  const done = (view: ActionView): void => {
    hasDecided.current = true;
    setAnswered(view);
    onDecided?.(view);
    announce(sentenceOf(decidableOf(view), nameOfKey));
  };
  useLayoutEffect(() => {
    // The button that was pressed is gone: whoever pressed it goes on from here, before another key can come.
    if (action.status !== 'open' && hasDecided.current) place.current?.focus();
  }, [action.status]);
  return (
    <>
      <p ref={place} class="decision" role="status" aria-label="Decision" tabIndex={-1}>
        {action.status !== 'open' && <Decided action={action} nameOfKey={nameOfKey} />}
      </p>
      <Changed action={action} />
      {action.status === 'open' && <Buttons action={action} onDone={done} />}
    </>
  );
}

const sentenceOf = (action: Decidable, nameOfKey: (id: string) => string): string =>
  action.decidedBy === '' ? outcomeOf(action) : `${outcomeOf(action)} by ${nameOfKey(action.decidedBy)}`;

function Decided({
  action,
  nameOfKey,
}: {
  readonly action: Decidable;
  readonly nameOfKey: (id: string) => string;
}) {
  return (
    <>
      {outcomeOf(action)}
      {action.decidedBy !== '' && (
        <>
          {' by '}
          <Bdi text={nameOfKey(action.decidedBy)} />
        </>
      )}
      {action.decidedAt !== null && (
        <>
          {' at '}
          <Time at={action.decidedAt} />
        </>
      )}
      {action.reason !== '' && (
        <>
          {': '}
          <Bdi text={action.reason} />
        </>
      )}
    </>
  );
}

/** What was carried out is not what the agent asked for. */
function Changed({ action: { input, carriedOut } }: { readonly action: Decidable }) {
  if (input === null || carriedOut === null) return null;
  if (carriedOut === '')
    return <p>The input was changed, and is too long for here: the event of the decision has it.</p>;
  return (
    <>
      <p class="meta">What was asked for, and what was carried out:</p>
      <Changes before={input} after={carriedOut} />
    </>
  );
}

type Open = 'nothing' | 'change' | 'grant' | 'deny';

interface ButtonsProps {
  readonly action: Decidable;
  readonly onDone: (view: ActionView) => void;
}

function Buttons({ action, onDone }: ButtonsProps) {
  const [open, setOpen] = useState<Open>('nothing');
  const [changed, setChanged] = useState<string | null>(action.input);
  const { send, problem, isSending } = useSend(action.id, onDone);
  const isChanging = open === 'change' && action.input !== null;
  const approve = (): void => {
    if (!isChanging || changed === action.input) send({ decision: 'approve' });
    else if (changed !== null) send({ decision: 'approve', input: sendable(changed) });
  };
  return (
    <>
      {isChanging && (
        <>
          <ChangeInput
            session={action.session}
            run={action.run}
            tool={action.about}
            input={action.input}
            onChange={setChanged}
          />
          {changed !== null && <Changes before={action.input} after={changed} />}
        </>
      )}
      {open === 'grant' && <GrantForm action={action} isSending={isSending} onSend={send} />}
      {problem !== null && <Failure problem={problem} />}
      <Row
        action={action}
        open={open}
        isOff={isSending}
        isWrong={isChanging && changed === null}
        onApprove={approve}
        onOpen={(what) => setOpen(open === what ? 'nothing' : what)}
      />
      {open === 'deny' && (
        <Deny
          onClose={() => setOpen('nothing')}
          onDeny={(reason) => {
            setOpen('nothing');
            send(reason === '' ? { decision: 'deny' } : { decision: 'deny', reason });
          }}
        />
      )}
    </>
  );
}

function useSend(id: string, onDone: (view: ActionView) => void) {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isSending, setSending] = useState(false);
  const send = (decision: Decision): void => {
    setSending(true);
    setProblem(null);
    decide(id, decision)
      .then(onDone)
      .catch((error: unknown) => setProblem(asProblem(error)))
      .finally(() => setSending(false));
  };
  return { send, problem, isSending };
}

interface RowProps {
  readonly action: Decidable;
  readonly open: Open;
  /** Something is being sent. */
  readonly isOff: boolean;
  /** What is typed cannot be sent. */
  readonly isWrong: boolean;
  readonly onApprove: () => void;
  readonly onOpen: (what: Open) => void;
}

function Row({ action, open, isOff, isWrong, onApprove, onOpen }: RowProps) {
  const { kind } = action;
  const may = mayDecide(action);
  return (
    <div class="do">
      {kind === 'approval' && may.grant && (
        <Button kind="pri" small idle={isOff} disabled={isWrong} onClick={onApprove}>
          Approve
        </Button>
      )}
      {kind !== 'approval' && may.grant && (
        <Button
          kind={open === 'grant' ? 'ghost' : 'pri'}
          small
          expanded={open === 'grant'}
          onClick={() => onOpen('grant')}
        >
          {GRANTS[kind]}
        </Button>
      )}
      {may.deny && (
        <Button small idle={isOff} label="Deny" onClick={() => onOpen('deny')}>
          Deny…
        </Button>
      )}
      {kind === 'approval' && may.grant && !action.isRounded && (
        <Button kind="ghost" small expanded={open === 'change'} onClick={() => onOpen('change')}>
          Change input
        </Button>
      )}
      {!may.grant && !may.deny && <span class="meta">Your key may not decide on this.</span>}
    </div>
  );
}

const GRANTS = {
  tool: 'Answer',
  input: 'Answer',
  budget: 'Raise budget',
  tool_servers: 'Supply servers',
} as const;
