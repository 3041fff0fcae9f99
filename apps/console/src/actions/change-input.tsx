import { useEffect, useId, useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { jsonTree, rawOf } from '../conversation/json-tree.js';
import { Field } from '../parts/controls.js';
import { type InputChange, type InputField, changesOf, fieldsOf, inputOf } from './input-form.js';
import { offeredSchema } from './offered-schema.js';

interface ChangeInputProps {
  readonly session: string;
  readonly run: string;
  readonly tool: string;
  /** JSON text of what the model wants to call it with. */
  readonly input: string;
  /** JSON text of what it is to be called with; null: what stands there is no JSON. */
  readonly onChange: (input: string | null) => void;
}

/** The input of a call as a form, of the tool's schema where the log tells it, and what is different so far. */
export function ChangeInput({ session, run, tool, input, onChange }: ChangeInputProps) {
  const [fields, setFields] = useState(() => fieldsOf(input, null));
  const [text, setText] = useState(() => pretty(input));
  const [wrong, setWrong] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    // Without a schema the form is that of the input itself.
    void offeredSchema({ session, run, tool }, abort.signal)
      .then((schema) => setFields((now) => withSchema(now, fieldsOf(input, schema))))
      .catch(() => undefined);
    return () => abort.abort();
  }, [session, run, tool, input]);
  const tell = (read: () => string): void => {
    try {
      onChange(read());
      setWrong(null);
    } catch (error) {
      onChange(null);
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  const setField = (at: number, value: string | null): void => {
    const next = (fields ?? []).map((field, n) => (n === at ? { ...field, value } : field));
    setFields(next);
    tell(() => inputOf(next));
  };
  return (
    <fieldset class="change-input">
      <legend>Input</legend>
      {fields === null ? (
        <Field label="Input as JSON">
          {(id) => (
            <textarea
              id={id}
              class="mono"
              rows={8}
              value={text}
              onInput={(event) => {
                setText(event.currentTarget.value);
                tell(() => jsonOf(event.currentTarget.value));
              }}
            />
          )}
        </Field>
      ) : (
        fields.map((field, at) => (
          <FieldEditor key={field.name} field={field} onValue={(value) => setField(at, value)} />
        ))
      )}
      {wrong !== null && (
        <p class="bad-text" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}

/** What the schema adds, without what was typed meanwhile being lost. */
function withSchema(
  now: readonly InputField[] | null,
  of: readonly InputField[] | null,
): readonly InputField[] | null {
  if (of === null || now === null) return now;
  const typed = new Map(now.map((field) => [field.name, field]));
  return of.map((field) => {
    const before = typed.get(field.name);
    return before === undefined || before.kind !== field.kind ? field : { ...field, value: before.value };
  });
}

const pretty = (input: string): string => {
  try {
    return JSON.stringify(JSON.parse(input), null, 2);
  } catch {
    return input;
  }
};

function jsonOf(text: string): string {
  const node = jsonTree(text);
  if (node === null) throw new SyntaxError('this is no JSON');
  return rawOf(node);
}

interface FieldEditorProps {
  readonly field: InputField;
  readonly onValue: (value: string | null) => void;
}

function FieldEditor({ field, onValue }: FieldEditorProps) {
  const { name, kind, value, isRequired, description, choices } = field;
  const id = useId();
  const set = (typed: string): void => onValue(typed === '' && kind !== 'text' && !isRequired ? null : typed);
  const shared = { id, 'aria-describedby': description === '' ? undefined : `${id}-note` };
  const options = kind === 'boolean' ? ['true', 'false'] : choices;
  return (
    <div class="field">
      <label for={id}>
        <Bdi text={name} />
        {value === null && <span class="meta"> left out</span>}
      </label>
      {kind === 'boolean' || kind === 'choice' ? (
        <select {...shared} value={value ?? ''} onChange={(event) => set(event.currentTarget.value)}>
          {(value === null || !isRequired) && <option value="">Left out</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {option.startsWith('"') ? (JSON.parse(option) as string) : option}
            </option>
          ))}
        </select>
      ) : kind === 'number' ? (
        <input
          {...shared}
          inputMode="decimal"
          value={value ?? ''}
          onInput={(event) => set(event.currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          class={kind === 'json' ? 'mono' : undefined}
          rows={Math.min(8, 1 + Math.floor((value ?? '').length / 60))}
          value={value ?? ''}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
      {description !== '' && (
        <p id={`${id}-note`} class="meta">
          <Bdi text={description} />
        </p>
      )}
    </div>
  );
}

/** What will be different from what the model asked for. */
export function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  const changes = changesOf(before, after);
  if (changes.length === 0) return <p class="meta">Nothing is changed yet.</p>;
  return (
    <ul class="changes" aria-label="Changes">
      {changes.map((change) => (
        <ChangeRow key={change.name} change={change} />
      ))}
    </ul>
  );
}

const ChangeRow = ({ change: { name, before, after } }: { readonly change: InputChange }) => (
  <li>
    {name !== '' && (
      <b>
        <Bdi text={name} />
      </b>
    )}
    <span class="change">
      {before !== null && (
        <del>
          <Bdi text={before} />
        </del>
      )}
      {before !== null && after !== null && ' → '}
      {after !== null && (
        <ins>
          <Bdi text={after} />
        </ins>
      )}
      {before === null && ' (new)'}
      {after === null && ' (left out)'}
    </span>
  </li>
);
