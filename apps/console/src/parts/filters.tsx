import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { utc } from '../app/preferences.js';
import { place, setQuery } from '../app/router.js';
import { Select } from './controls.js';
import { instantOf, typedOf } from './instants.js';
import { capitalised } from './status-looks.js';

/** The filters above a list. Each is in the query, so that a link is a view. */
export const Filters = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="filters" role="group" aria-label="Filters">
    {children}
  </div>
);

/** Combobox "Status": `status` in the query. */
export function StatusFilter({ statuses }: { readonly statuses: readonly string[] }) {
  const value = place.value.query.get('status') ?? '';
  const options = [['', 'Any'] as const, ...statuses.map((status) => [status, capitalised(status)] as const)];
  return (
    <Select label="Status" value={value} options={options} onChange={(status) => setQuery({ status })} />
  );
}

/** Fields "From" and "To": `from` and `to` in the query, as points in time. */
export const PeriodFilter = () => (
  <>
    <InstantFilter name="from" label="From" />
    <InstantFilter name="to" label="To" />
  </>
);

const EXAMPLES = '2026-11-26, 2026-11-26 14:08, 24 h ago';
const AGO = ['1 h ago', '24 h ago', '7 d ago', '30 d ago'];

function InstantFilter({ name, label }: { readonly name: 'from' | 'to'; readonly label: string }) {
  const id = useId();
  const inUtc = utc.value === 'on';
  const asked = place.value.query.get(name) ?? '';
  const shown = shownOf(asked, inUtc);
  const [typed, setTyped] = useState(shown);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    setTyped(shown);
    setWrong(false);
  }, [shown]);
  const take = (): void => {
    if (typed.trim() === shown) return;
    const at = instantOf(typed, Date.now(), inUtc);
    setWrong(at === null && typed.trim() !== '');
    if (at !== null) setQuery({ [name]: new Date(at).toISOString() });
    else if (typed.trim() === '') setQuery({ [name]: null });
  };
  return (
    <div class="pick">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        class="instant"
        list={`${id}-ago`}
        autocomplete="off"
        spellcheck={false}
        placeholder={inUtc ? 'date, time in UTC' : 'date, time'}
        title={EXAMPLES}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-wrong` : undefined}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take();
          if (event.key === 'Escape') setTyped(shown);
        }}
      />
      {isWrong && (
        <span id={`${id}-wrong`} class="meta bad-text" role="alert">
          {`Not a time. Such as ${EXAMPLES}.`}
        </span>
      )}
      <datalist id={`${id}-ago`}>
        {AGO.map((ago) => (
          <option key={ago} value={ago} />
        ))}
      </datalist>
    </div>
  );
}

const shownOf = (asked: string, inUtc: boolean): string => {
  if (asked === '') return '';
  const at = instantOf(asked, Date.now(), true);
  return at === null ? asked : typedOf(at, inUtc);
};

/** The path of a list with the filters that the query has, of those it knows. */
export function filteredPath(path: string, names: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = place.value.query.get(name) ?? '';
    if (value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
