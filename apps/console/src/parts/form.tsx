import type { ComponentChildren, TargetedInputEvent } from 'preact';
import type { ApiProblem } from '../api/problem.js';
import { Button, Field } from './controls.js';
import { Failure } from './region.js';

interface DialogFormProps {
  /** What its button says. */
  readonly submit: string;
  /** It ends or deletes something. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly problem: ApiProblem | null;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The form of a dialog: its fields, why it was refused, and its two buttons. */
export const DialogForm = (props: DialogFormProps) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      props.onSubmit();
    }}
  >
    {props.children}
    {props.problem !== null && <Failure problem={props.problem} />}
    <div class="do end">
      <Button kind="ghost" onClick={props.onClose}>
        Cancel
      </Button>
      <Button kind={props.danger ? 'danger' : 'pri'} type="submit" disabled={props.disabled ?? false}>
        {props.submit}
      </Button>
    </div>
  </form>
);

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  /** password: it is not shown while it is typed. decimal: a number, with its keyboard. */
  readonly kind?: 'text' | 'password' | 'decimal';
  readonly required?: boolean;
  readonly maxLength?: number;
}

/** A line of text under its label. */
export const TextField = ({ label, hint, kind = 'text', required = false, ...props }: TextFieldProps) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id, note) => {
      const all = {
        id,
        'aria-describedby': note,
        autoComplete: 'off',
        required,
        maxLength: props.maxLength,
        value: props.value,
        onInput: (event: TargetedInputEvent<HTMLInputElement>) => props.onChange(event.currentTarget.value),
      };
      if (kind === 'password') return <input type="password" {...all} />;
      return <input type="text" inputMode={kind === 'decimal' ? 'decimal' : undefined} {...all} />;
    }}
  </Field>
);

interface SelectFieldProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
  readonly hint?: string;
}

/** One of a few, under its label. */
export const SelectField = <T extends string>({
  label,
  hint,
  value,
  options,
  onChange,
}: SelectFieldProps<T>) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id, note) => (
      <select
        id={id}
        aria-describedby={note}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as T)}
      >
        {options.map(([of, text]) => (
          <option key={of} value={of} selected={of === value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);
