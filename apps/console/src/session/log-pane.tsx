import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button, Seg } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { Failure } from '../parts/region.js';
import { LANES, type Lane } from './lanes.js';
import { LogGrid } from './log-grid.js';
import type { SessionModel } from './model.js';
import { counted, grouped } from './text.js';
import { ToldCut } from './told-cut.js';

/** The log of a session, and what is found in it. */
export function LogPane({ model }: { readonly model: SessionModel }) {
  const rows = model.log.value.rows.rows.length;
  const { store } = model;
  const { value: problem } = store.problem;
  const count = store.events.length;
  const isLoading = store.head.value > store.last;
  const progress = isLoading
    ? `${grouped(count)} of ${grouped(store.head.value + 1)} events`
    : `${counted(count, 'event')} in ${counted(rows, 'row')}`;
  return (
    <section class="pane log-pane" aria-label="Session log">
      <div class="ptop">
        <h2>Log</h2>
        <span class="meta count-of">{progress}</span>
        <Find model={model} />
        <LanesMenu model={model} />
        <Seg
          name="Rows"
          value={model.rowsMode.value}
          options={[
            ['blocks', 'Blocks'],
            ['every', 'Every event'],
          ]}
          onChange={(mode) => (model.rowsMode.value = mode)}
        />
      </div>
      <Unsearched count={model.found.value.unsearched} />
      <ToldCut model={model} />
      {problem !== null && count === 0 && <Failure problem={problem} />}
      <LogGrid model={model} />
    </section>
  );
}

/** Steps through what was found, and goes there. */
export function stepMatches(model: SessionModel, way: 1 | -1): void {
  const matches = model.found.value.matches;
  if (matches.length === 0) return;
  const at = model.at.value;
  const next = way === 1 ? matches.find((place) => place > at) : matches.findLast((place) => place < at);
  const to = next ?? (way === 1 ? matches[0] : matches.at(-1));
  if (to !== undefined) model.seek(to);
}

const UNSEARCHED = 'unsearched';

/** What is not found may stand in what was not read. */
const Unsearched = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <p id={UNSEARCHED} class="meta">
      {`Not searched: ${counted(count, 'long text')}`}
    </p>
  );

function Find({ model }: { readonly model: SessionModel }) {
  const { matches, unsearched } = model.found.value;
  const { value: query } = model.query;
  const place = matches.indexOf(model.at.value);
  const isLooking = query.trim() !== '';
  useEffect(() => {
    // Without it nothing is found, and the page lives on.
    if (isLooking)
      void import('./find.js').then(({ findIn }) => (model.finder.value = findIn)).catch(() => undefined);
  }, [isLooking]);
  const words = !isLooking || model.finder.value === null ? '' : `${place + 1} of ${matches.length}`;
  return (
    <div class="find" role="search">
      <Icon name="find" />
      <input
        type="search"
        aria-label="Find in session"
        aria-describedby={unsearched === 0 ? undefined : UNSEARCHED}
        placeholder="Find"
        value={query}
        onInput={(event) => (model.query.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') stepMatches(model, event.shiftKey ? -1 : 1);
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <span role="status" aria-label="Matches" class="meta">
        {words}
      </span>
      {isLooking && (
        <>
          <Button
            kind="ghost"
            small
            icon="up"
            label="Previous match"
            onClick={() => stepMatches(model, -1)}
          />
          <Button kind="ghost" small icon="down" label="Next match" onClick={() => stepMatches(model, 1)} />
        </>
      )}
      {!isLooking && <kbd aria-hidden="true">/</kbd>}
    </div>
  );
}

/** Which lanes the log shows. */
function LanesMenu({ model }: { readonly model: SessionModel }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const [from, list] = [button.current, box.current];
    if (!isOpen || from === null || list === null) return;
    const { bottom, right } = from.getBoundingClientRect();
    list.style.top = `${bottom + 4}px`;
    list.style.right = `${Math.max(4, document.documentElement.clientWidth - right)}px`;
    list.querySelector('input')?.focus();
  }, [isOpen]);
  const { hidden, isQuiet } = model.filter.value;
  const show = (lane: Lane, isShown: boolean): void => {
    const next = new Set(hidden);
    if (isShown) next.delete(lane);
    else next.add(lane);
    model.filter.value = { hidden: next, isQuiet };
  };
  const isFiltered = hidden.size > 0 || isQuiet;
  return (
    <>
      <button
        ref={button}
        type="button"
        class={isFiltered ? 'btn sm on' : 'btn sm'}
        aria-haspopup="true"
        aria-expanded={isOpen}
        popovertarget={id}
      >
        Lanes
      </button>
      <div
        ref={box}
        id={id}
        class="menu lane-checks"
        role="group"
        aria-label="Lanes"
        popover="auto"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {LANES.map((lane) => (
          <Check key={lane} name={lane} isOn={!hidden.has(lane)} onChange={(isOn) => show(lane, isOn)} />
        ))}
        <hr />
        <Check
          name="Quiet"
          isOn={isQuiet}
          onChange={(isOn) => (model.filter.value = { hidden, isQuiet: isOn })}
        />
      </div>
    </>
  );
}

interface CheckProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

const Check = ({ name, isOn, onChange }: CheckProps) => (
  <label>
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
    {name}
  </label>
);
