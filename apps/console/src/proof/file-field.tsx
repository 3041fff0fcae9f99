import { Field } from '../parts/controls.js';

interface FileFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly multiple?: boolean;
  readonly onChange: (files: readonly File[]) => void;
}

/** A field that takes files from this machine. They stay on it. */
export const FileField = ({ label, hint, multiple = false, onChange }: FileFieldProps) => (
  <Field label={label} hint={hint}>
    {(id, note) => (
      <input
        id={id}
        type="file"
        aria-describedby={note}
        multiple={multiple}
        onChange={(event) => onChange([...(event.currentTarget.files ?? [])])}
      />
    )}
  </Field>
);
