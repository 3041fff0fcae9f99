import { useState } from 'preact/hooks';
import type { FieldError } from '../api/problem.js';
import { Field, Switch } from '../parts/controls.js';
import { capitalised } from '../parts/status-looks.js';
import { options } from './draft.js';
import {
  MODES,
  type Mode,
  type Options,
  WHEN_BUSY,
  type WhenBusy,
  bodyOf,
  errorOf,
  parsed,
} from './request.js';

interface OptionsFormProps {
  readonly message: string;
  /** What the service said of the fields. */
  readonly errors: readonly FieldError[];
  readonly onMessage: (message: string) => void;
  /** Whether the JSON that is written is a request. */
  readonly onValid: (isValid: boolean) => void;
}

type Tab = 'Form' | 'JSON';

/** Everything of a request but its message: as a form, and the whole of it as JSON. */
export function OptionsForm(props: OptionsFormProps) {
  const [tab, setTab] = useState<Tab>('Form');
  const show = (next: Tab): void => {
    props.onValid(true);
    setTab(next);
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const next = tab === 'Form' ? 'JSON' : 'Form';
    show(next);
    document.getElementById(`options-${next}`)?.focus();
  };
  return (
    <form id="options" class="options" aria-label="Options" onSubmit={(event) => event.preventDefault()}>
      <div class="tabs" role="tablist" aria-label="Request">
        {(['Form', 'JSON'] as const).map((name) => (
          <button
            key={name}
            id={`options-${name}`}
            type="button"
            role="tab"
            aria-selected={tab === name}
            aria-controls="options-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => show(name)}
            onKeyDown={move}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="options-panel" role="tabpanel" aria-labelledby={`options-${tab}`}>
        {tab === 'Form' ? <Fields errors={props.errors} /> : <AsJson {...props} />}
      </div>
    </form>
  );
}

const set = (changes: Partial<Options>): void => {
  options.value = { ...options.value, ...changes };
};

function Fields({ errors }: { readonly errors: readonly FieldError[] }) {
  const { mode, system, rules, isStreaming, callbackUrl, onBusy, others } = options.value;
  const more = Object.keys(others);
  return (
    <div class="options-grid">
      <Pick
        label="Mode"
        all={MODES}
        value={mode}
        error={errorOf(errors, 'mode')}
        onPick={(value: Mode) => set({ mode: value })}
      />
      <Pick
        label="When busy"
        all={WHEN_BUSY}
        value={onBusy}
        error={errorOf(errors, 'on_busy')}
        onPick={(value: WhenBusy) => set({ onBusy: value })}
      />
      <Area
        label="System prompt"
        value={system}
        error={errorOf(errors, 'system')}
        onText={(text) => set({ system: text })}
      />
      <Area
        label="Rules"
        hint="One a line."
        value={rules}
        error={errorOf(errors, 'rules')}
        onText={(text) => set({ rules: text })}
      />
      <Field label="Callback URL" error={errorOf(errors, 'callback')}>
        {(id, describedBy) => (
          <input
            id={id}
            type="url"
            aria-describedby={describedBy}
            aria-invalid={errorOf(errors, 'callback') !== null}
            value={callbackUrl}
            onInput={(event) => set({ callbackUrl: event.currentTarget.value })}
          />
        )}
      </Field>
      <Switch label="Token by token" on={isStreaming} onChange={(on) => set({ isStreaming: on })} />
      {more.length > 0 && <p class="meta">{`As JSON besides: ${more.join(', ')}`}</p>}
    </div>
  );
}

interface PickProps<T extends string> {
  readonly label: string;
  readonly all: readonly T[];
  readonly value: T;
  readonly error: string | null;
  readonly onPick: (value: T) => void;
}

const Pick = <T extends string>({ label, all, value, error, onPick }: PickProps<T>) => (
  <Field label={label} error={error}>
    {(id, describedBy) => (
      <select
        id={id}
        aria-describedby={describedBy}
        value={value}
        onChange={(event) => onPick(event.currentTarget.value as T)}
      >
        {all.map((one) => (
          <option key={one} value={one} selected={one === value}>
            {capitalised(one)}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface AreaProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly error: string | null;
  readonly onText: (text: string) => void;
}

const Area = ({ label, value, hint, error, onText }: AreaProps) => (
  <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
    {(id, describedBy) => (
      <textarea
        id={id}
        rows={3}
        aria-describedby={describedBy}
        aria-invalid={error !== null}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** The whole request; what is written here is in the form, too, as soon as it is JSON. */
function AsJson({ message, errors, onMessage, onValid }: OptionsFormProps) {
  const [text, setText] = useState(() => JSON.stringify(bodyOf(message, options.value), null, 2));
  const [wrong, setWrong] = useState<string | null>(null);
  const write = (written: string): void => {
    setText(written);
    try {
      const { message: told, options: next } = parsed(written);
      options.value = next;
      onMessage(told);
      setWrong(null);
      onValid(true);
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
      onValid(false);
    }
  };
  const said = wrong ?? (errors.map(({ path, message: told }) => `${path} ${told}`).join('; ') || null);
  return (
    <Field
      label="Request as JSON"
      hint="Every field of POST /. Tool servers and headers stay in this page's memory."
      error={said}
    >
      {(id, describedBy) => (
        <textarea
          id={id}
          class="mono"
          rows={14}
          spellcheck={false}
          aria-describedby={describedBy}
          aria-invalid={said !== null}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
