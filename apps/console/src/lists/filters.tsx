import { place, setQuery } from '../app/router.js';
import { Select } from '../parts/controls.js';
import { capitalised } from '../parts/status-looks.js';

/** The filter "Status" of a list; it is in the URL, so a link is a view. */
export function StatusFilter({ statuses }: { readonly statuses: readonly string[] }) {
  const options = statuses.map((status) => [status, capitalised(status)] as const);
  return (
    <Select
      label="Status"
      value={place.value.query.get('status') ?? ''}
      options={[['', 'Any'], ...options]}
      onChange={(status) => setQuery({ status })}
    />
  );
}

const isTime = (text: string): boolean =>
  text === '' || (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)));

/** A day, or a moment in ISO 8601; what is neither is not asked for. */
export function TimeFilter({ label, name }: { readonly label: string; readonly name: 'from' | 'to' }) {
  const value = place.value.query.get(name) ?? '';
  return (
    <label class="pick">
      <span>{label}</span>
      <input
        type="text"
        inputMode="numeric"
        size={11}
        placeholder="2026-01-31"
        value={value}
        aria-invalid={!isTime(value)}
        onChange={(event) => {
          const text = event.currentTarget.value.trim();
          event.currentTarget.setAttribute('aria-invalid', String(!isTime(text)));
          if (isTime(text)) setQuery({ [name]: text });
        }}
      />
    </label>
  );
}

export const TimeFilters = () => (
  <>
    <TimeFilter label="From" name="from" />
    <TimeFilter label="To" name="to" />
  </>
);
