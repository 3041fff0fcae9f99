import { useEffect } from 'preact/hooks';
import { visible } from '../conversation/visible.js';
import { Button } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Shape } from '../parts/icon.js';
import { Failure } from '../parts/region.js';
import { capitalised, lookOf } from '../parts/status-looks.js';
import type { SessionModel } from '../session/model.js';
import { grouped } from '../session/text.js';
import { CanLie } from './can-lie.js';
import type { KeysFound } from './known-keys.js';
import { VerdictParts } from './verdict-view.js';
import type { BadgeLevel, Verification } from './verification.js';

interface DialogProps {
  readonly model: SessionModel;
  readonly verification: Verification;
  readonly onClose: () => void;
}

/** What was verified, what was not, and against whose word. */
export function VerificationDialog({ model, verification, onClose }: DialogProps) {
  const level = verification.level.value;
  const proved = verification.proved.value;
  const isBusy = verification.isProving.value;
  useEffect(() => verification.ask(), [verification]);
  const { shape, tone } = lookOf(level);
  return (
    <Dialog title="Verification" onClose={onClose} wide>
      <div class="proof" aria-busy={isBusy}>
        <p class={`verdict ${tone}`}>
          <Shape name={shape} />
          {capitalised(level)}
        </p>
        <p class="lead">{WORDS[level]}</p>
        <div class="do">
          <Button idle={isBusy} icon="retry" onClick={verification.ask}>
            {isBusy ? 'Checking…' : 'Check again'}
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
        <Wrong verification={verification} onGo={(revision) => goTo(model, revision, onClose)} />
        <Changed of={proved?.keys ?? null} onBelieve={verification.believe} />
        {(proved?.problem ?? null) !== null && (
          <Failure problem={proved!.problem!} onRetry={verification.ask} />
        )}
        <Counts model={model} verification={verification} />
        {(proved?.verdict ?? null) !== null && <VerdictParts of={proved!.verdict!} />}
        <CanLie />
      </div>
    </Dialog>
  );
}

const WORDS: Readonly<Record<BadgeLevel, string>> = {
  checking: 'The events on this page are being checked.',
  'not verified': 'Something on this page is not as it was written, or not proved as it has to be.',
  chain: 'The events on this page hang together. Nobody has signed for them yet.',
  signed: 'The key that this browser knows has signed that the session is this, and ends here.',
  receipted: 'The session is signed, and a receipt says the same.',
  witnessed: 'The session is signed, and witnesses have seen it: nobody is shown another.',
  complete: 'The session is signed and witnessed, and a monitor has read every event of the log.',
};

function goTo(model: SessionModel, revision: number, onClose: () => void): void {
  onClose();
  model.seek(revision);
}

interface WrongProps {
  readonly verification: Verification;
  readonly onGo: (revision: number) => void;
}

/** What is wrong with an event, and the way to it. */
function Wrong({ verification, onGo }: WrongProps) {
  const { failure } = verification.checked.value;
  const found = [
    ...(failure === null ? [] : [failure]),
    ...(verification.proved.value?.verdict?.failures ?? []),
  ];
  const [first] = found;
  if (first === undefined) return null;
  const named = found.find(({ revision }) => revision !== null) ?? first;
  return (
    <div class="failure" role="alert">
      <p>
        <b>{named.revision === null ? capitalised(named.code) : `Event ${named.revision}`}</b>{' '}
        <bdi>{visible(`${named.code}: ${named.message}`)}</bdi>
      </p>
      {named.revision !== null && named.revision >= 0 && (
        <Button small onClick={() => onGo(named.revision!)}>
          {`Go to event ${named.revision}`}
        </Button>
      )}
    </div>
  );
}

interface ChangedProps {
  readonly of: KeysFound | null;
  readonly onBelieve: () => void;
}

/** Other keys than those that this browser was told first. */
function Changed({ of, onBelieve }: ChangedProps) {
  if (of?.kind !== 'changed') return null;
  return (
    <div class="failure" role="alert">
      <p>
        <b>Another key</b> The service names another key than the one that this browser was told first, and
        does not say that the old one was retired. Ask whoever runs it, by another way, before you believe the
        new one.
      </p>
      <dl class="kv">
        <KeyList name="Known here" keys={of.known} />
        <KeyList name="Named now" keys={of.told} />
      </dl>
      <Button small kind="danger" onClick={onBelieve}>
        Believe the new key
      </Button>
    </div>
  );
}

const KeyList = ({ name, keys }: { readonly name: string; readonly keys: readonly string[] }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {keys.map((key) => (
        <code key={key}>{visible(key)}</code>
      ))}
    </dd>
  </div>
);

function Counts({ model, verification }: Omit<DialogProps, 'onClose'>) {
  const all = model.last.value + 1;
  const sealed = verification.sealed.value;
  const missing = model.store.events.filter(({ line }) => line.text === undefined).length;
  return (
    <dl class="kv">
      <div>
        <dt>Checked here</dt>
        <dd>
          {`${grouped(verification.checked.value.count)} of ${grouped(all)} events: their order, their chain, and that each text is the one that was written`}
          {missing > 0 && ` (${grouped(missing)} texts are not on this page)`}
        </dd>
      </div>
      <div>
        <dt>Sealed</dt>
        <dd>{sealed === null ? 'not known' : `${grouped(sealed)} of ${grouped(all)} events`}</dd>
      </div>
    </dl>
  );
}
