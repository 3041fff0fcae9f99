import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../app/status.js';
import { Shape } from '../parts/icon.js';
import { later } from '../parts/later.js';
import { capitalised, lookOf } from '../parts/status-looks.js';
import type { SessionModel } from '../session/model.js';
import { grouped } from '../session/text.js';
import type { Verification } from './verification.js';

/** The verification of what is on the screen, fetched when all of it is there. null: not yet. */
export function useVerification(model: SessionModel): Verification | null {
  const [verification, setVerification] = useState<Verification | null>(null);
  const isThere = useRef(false);
  isThere.current ||= model.last.value >= 0 && model.last.value >= model.store.head.value;
  useEffect(() => {
    if (!isThere.current) return;
    let isMeant = true;
    let close: (() => void) | undefined;
    void import('./of-session.js')
      .then(({ Verification: Made }) => {
        if (!isMeant) return;
        const made = new Made(model);
        close = made.open();
        setVerification(made);
      })
      // Without it nothing is verified, and the page lives on.
      .catch(() => undefined);
    return () => {
      isMeant = false;
      close?.();
    };
  }, [model, isThere.current]);
  return verification;
}

const VerificationDialog = later<{
  readonly model: SessionModel;
  readonly verification: Verification;
  readonly onClose: () => void;
}>(async () => (await import('./of-session.js')).VerificationDialog);

interface BadgeProps {
  readonly model: SessionModel;
  readonly verification: Verification | null;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** How far what is on the screen can be believed, and how many of its events are sealed. */
export function Badge({ model, verification, isOpen, onOpen }: BadgeProps) {
  const level = verification?.level.value ?? 'checking';
  const sealed = verification?.sealed.value ?? null;
  const { shape, tone } = lookOf(level);
  useEffect(() => {
    if (level === 'not verified') announce('Verification: not verified');
  }, [level]);
  return (
    <>
      <button
        type="button"
        class={`pill badge ${tone}`}
        aria-label={`Verification: ${level}`}
        aria-haspopup="dialog"
        onClick={() => onOpen(true)}
      >
        <Shape name={shape} />
        {capitalised(level)}
      </button>
      {sealed !== null && (
        <span class="meta hide">{`${grouped(sealed)} of ${grouped(model.last.value + 1)} events sealed`}</span>
      )}
      {isOpen && verification !== null && (
        <VerificationDialog model={model} verification={verification} onClose={() => onOpen(false)} />
      )}
    </>
  );
}
