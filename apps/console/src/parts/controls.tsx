import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { announce } from '../app/status.js';
import { Icon } from './icon.js';
import type { IconName } from './sprite.js';
import { curlOf, type CurlCall } from './curl.js';

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** The accessible name where it is not the text; of a button without text it is needed. */
  readonly label?: string;
  /** pri: the one that is meant. ghost: without a border. danger: ends or deletes. */
  readonly kind?: 'pri' | 'ghost' | 'danger';
  /** 28 px high, for bars and tables. */
  readonly small?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Nothing to do for now: it is told so and does nothing, but stays where the focus is, which a disabled one would lose. */
  readonly idle?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly class?: string;
  readonly id?: string;
  readonly title?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

export function Button(props: ButtonProps) {
  const { children, icon, label, kind, small = false, type = 'button' } = props;
  const { disabled = false, idle = false } = props;
  const isSquare = children === undefined;
  const names = ['btn', kind, small && 'sm', isSquare && 'sq', props.class];
  return (
    <button
      type={type}
      class={names.filter(Boolean).join(' ')}
      disabled={disabled}
      aria-disabled={idle || undefined}
      aria-label={label}
      title={props.title ?? (isSquare ? label : undefined)}
      id={props.id}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      onClick={idle ? undefined : props.onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly children: (id: string, describedBy: string | undefined) => ComponentChildren;
  readonly hint?: string;
  readonly error?: string | null;
}

/** A control under its label, with what helps and what is wrong beneath. */
export function Field({ label, children, hint, error = null }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, note === undefined ? undefined : `${id}-note`)}
      {note !== undefined && (
        <p id={`${id}-note`} class={error === null ? 'meta' : 'meta bad-text'}>
          {note}
        </p>
      )}
    </div>
  );
}

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
}

/** A combobox with its label beside it. */
export function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  const id = useId();
  return (
    <div class="pick">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map(([of, text]) => (
          <option key={of} value={of} selected={of === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly class?: string;
}

export function Switch({ label, on, onChange, class: name }: SwitchProps) {
  return (
    <label class={name === undefined ? 'switch' : `switch ${name}`} title={label}>
      <input
        type="checkbox"
        role="switch"
        checked={on}
        aria-checked={on}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface SegProps<T extends string> {
  /** The radiogroup's name. */
  readonly name: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
  readonly class?: string;
}

/** One of a few, as radio buttons side by side. */
export function Seg<T extends string>({ name, value, options, onChange, class: own }: SegProps<T>) {
  const group = useId();
  return (
    <div class={own === undefined ? 'seg' : `seg ${own}`} role="radiogroup" aria-label={name}>
      {options.map(([of, text]) => (
        <label key={of}>
          <input type="radio" name={group} value={of} checked={of === value} onChange={() => onChange(of)} />
          <span>{text}</span>
        </label>
      ))}
    </div>
  );
}

const SAID_MS = 1500;

interface CopyProps {
  /** What is copied. */
  readonly text: string | (() => string);
  readonly children?: ComponentChildren;
  readonly label?: string;
  readonly kind?: 'ghost';
  readonly small?: boolean;
}

/** Copies a text and says so. */
export function Copy({ text, children, label = 'Copy', kind, small = true }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = (): void => {
    void copyText(typeof text === 'string' ? text : text()).then((isDone) => {
      announce(isDone ? 'Copied' : 'The browser did not let it be copied');
      setCopied(isDone);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), SAID_MS);
    });
  };
  return (
    <Button
      icon={isCopied ? 'check' : 'copy'}
      small={small}
      {...(kind === undefined ? {} : { kind })}
      {...(children === undefined ? { label } : {})}
      onClick={copy}
    >
      {children}
    </Button>
  );
}

/** Whether it was copied. Without https a browser has no clipboard for pages, but its old way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'away';
    const before = document.activeElement;
    (before?.closest('dialog') ?? document.body).append(area);
    area.select();
    const isDone = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return isDone;
  }
}

/** "Copy as curl": the call that gives what is on the screen. */
export const CopyCurl = ({ call, small = true }: { readonly call: CurlCall; readonly small?: boolean }) => (
  <Copy kind="ghost" small={small} text={() => curlOf(call, window.location.origin)}>
    Copy as curl
  </Copy>
);

/** A call as it is typed into a shell, with its button. */
export function Curl({ call }: { readonly call: CurlCall }) {
  const text = curlOf(call, window.location.origin);
  return (
    <div class="curl">
      <pre>{text}</pre>
      <Copy text={text} label="Copy as curl" kind="ghost" />
    </div>
  );
}
