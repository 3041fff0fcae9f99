import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, CopyCurl } from '../parts/controls.js';
import { Failure } from '../parts/region.js';
import { draftOf, keepDraft, keepSent, lastMessage, options } from './draft.js';
import { sendWord } from './facts.js';
import { OptionsForm } from './options-form.js';
import { type Accepted, newKey, useOutbox } from './outbox.js';
import { bodyOf, errorOf } from './request.js';

interface ComposerProps {
  readonly session: string | null;
  readonly isBusy: boolean;
  /** Stands in the field where nothing was written yet. */
  readonly suggestion: string;
  readonly onAccepted: (accepted: Accepted) => void;
  readonly cancel: { readonly isOff: boolean; readonly act: () => void } | null;
}

/** Where a message is written and sent. */
export function Composer({ session, isBusy, suggestion, onAccepted, cancel }: ComposerProps) {
  const { text, write, keyOf, clear } = useText(session, suggestion);
  const [isOpen, setOpen] = useState(false);
  const [isValid, setValid] = useState(true);
  const outbox = useOutbox((accepted, body) => {
    const { message } = JSON.parse(body) as { readonly message: string };
    keepSent(message);
    clear(message);
    onAccepted(accepted);
  });
  const body = bodyOf(text, options.value);
  const isEmpty = text.trim() === '' && body['message'] === text;
  const canSend = !isEmpty && isValid && (!outbox.isSending || outbox.isRetrying);
  const send = (): void => {
    if (canSend) outbox.send(keyOf(JSON.stringify(body)), session, body);
  };
  const edit = (written: string): void => {
    if (outbox.problem !== null) outbox.forget();
    write(written);
  };
  const errors = outbox.problem?.errors ?? [];
  return (
    <div class="composer">
      {outbox.problem !== null && <Failed outbox={outbox} onRetry={send} />}
      {isOpen && <OptionsForm message={text} errors={errors} onMessage={edit} onValid={setValid} />}
      <label class="away" for="message">
        Message
      </label>
      <textarea
        id="message"
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        placeholder="Enter sends, Shift+Enter breaks the line"
        aria-invalid={errorOf(errors, 'message') !== null}
        dir="auto"
        value={text}
        onInput={(event) => edit(event.currentTarget.value)}
        onKeyDown={(event) => onKey(event, { send, recall: () => text === '' && write(lastMessage()) })}
      />
      <div class="do">
        <Button small kind="ghost" expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Options
        </Button>
        <CopyCurl call={{ method: 'POST', path: session === null ? '/' : `/?session=${session}`, body }} />
        <span class="grow" />
        {cancel !== null && (
          <Button id="cancel-run" kind="danger" disabled={cancel.isOff} onClick={cancel.act}>
            Cancel run
          </Button>
        )}
        <Button kind="pri" icon="send" disabled={!canSend} onClick={send}>
          {sendWord(isBusy, options.value.onBusy)}
        </Button>
      </div>
    </div>
  );
}

interface KeyActions {
  readonly send: () => void;
  readonly recall: () => void;
}

function onKey(event: KeyboardEvent, { send, recall }: KeyActions): void {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    send();
  } else if (event.key === 'ArrowUp' && !event.shiftKey) recall();
  else if (event.key === 'Escape') {
    const button = document.getElementById('cancel-run') ?? null;
    if (button === null) (event.target as HTMLElement).blur();
    else button.focus();
  }
}

function Failed({
  outbox,
  onRetry,
}: {
  readonly outbox: ReturnType<typeof useOutbox>;
  readonly onRetry: () => void;
}) {
  if (outbox.problem === null) return null;
  return (
    <>
      <Failure problem={outbox.problem} onRetry={onRetry} />
      {outbox.isRetrying && (
        <p class="meta">It is sent again by itself until it is answered, and counts once.</p>
      )}
    </>
  );
}

/** The text of the composer, and the key under which it is sent. */
function useText(session: string | null, suggestion: string) {
  const [text, setText] = useState(() => draftOf(session));
  const isTouched = useRef(text !== '');
  const key = useRef({ key: newKey(), body: '' });
  useEffect(() => {
    if (!isTouched.current && suggestion !== '') setText(suggestion);
  }, [suggestion]);
  const write = (written: string): void => {
    if (text === '') key.current = { key: newKey(), body: '' };
    isTouched.current = true;
    setText(written);
    keepDraft(session, written);
  };
  /** The same for the same request, so that one that was cut counts once; another request is another message. */
  const keyOf = (body: string): string => {
    if (key.current.body !== '' && key.current.body !== body) key.current = { key: newKey(), body };
    else key.current = { ...key.current, body };
    return key.current.key;
  };
  const clear = (sent: string): void => {
    key.current = { key: newKey(), body: '' };
    isTouched.current = true;
    setText((now) => (now === sent ? '' : now));
    keepDraft(session, '');
  };
  return { text, write, keyOf, clear };
}
