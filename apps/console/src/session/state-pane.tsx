import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { formatDollars } from '#domain/browser';
import { Money } from '../parts/values.js';
import { capitalised } from '../parts/status-looks.js';
import { ConversationTab } from './conversation-tab.js';
import { later } from '../parts/later.js';
import { type SessionModel, TABS, type Tab } from './model.js';
import { knowsSpent } from './spent.js';
import { grouped } from './text.js';

/** The session as it stood behind the event that is looked at. */
export function StatePane({ model }: { readonly model: SessionModel }) {
  const id = useId();
  const { value: tab } = model.tab;
  const { value: at } = model.at;
  const isBusy = model.isComing.value;
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (panel.current !== null)
      panel.current.scrollTop = model.isLive.value && tab === 'Conversation' ? panel.current.scrollHeight : 0;
  }, [tab]);
  useFollowedEnd(model, panel);
  return (
    <section
      class="pane state-pane"
      aria-label={at < 0 ? 'State' : `State at event ${at}`}
      aria-busy={isBusy}
    >
      <div class="ptop">
        <h2 class="at-event">
          At <b>{grouped(Math.max(at, 0))}</b>
        </h2>
        <Tabs model={model} panel={id} />
      </div>
      <div ref={panel} id={id} class="state" role="tabpanel" aria-labelledby={`${id}-${tab}`} tabIndex={0}>
        {at >= 0 && tab !== 'Event' && <Sums model={model} />}
        {at >= 0 && PANELS[tab](model)}
      </div>
    </section>
  );
}

type TabProps = { readonly model: SessionModel };
const ContextTab = later<TabProps>(async () => (await import('./context-tab.js')).ContextTab);
const RunTab = later<TabProps>(async () => (await import('./run-tab.js')).RunTab);
const EventTab = later<TabProps>(async () => (await import('./event-tab.js')).EventTab);

const PANELS: Readonly<Record<Tab, (model: SessionModel) => ComponentChildren>> = {
  Conversation: (model) => <ConversationTab model={model} />,
  Context: (model) => <ContextTab model={model} />,
  Run: (model) => <RunTab model={model} />,
  Event: (model) => <EventTab model={model} />,
};

/** Who reads the end of a conversation that goes on sees what comes; who reads above it is left alone. */
function useFollowedEnd(model: SessionModel, panel: { readonly current: HTMLDivElement | null }): void {
  const wasAtEnd = useRef(true);
  useEffect(() => {
    const box = panel.current;
    if (box === null) return;
    const note = (): void => {
      wasAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    };
    box.addEventListener('scroll', note, { passive: true });
    return () => box.removeEventListener('scroll', note);
  }, []);
  const at = model.at.value;
  useEffect(() => {
    const box = panel.current;
    if (box !== null && model.isLive.value && model.tab.value === 'Conversation' && wasAtEnd.current)
      box.scrollTop = box.scrollHeight;
  }, [at, model.ancestors.value.length]);
}

function Tabs({ model, panel }: { readonly model: SessionModel; readonly panel: string }) {
  const { value: tab } = model.tab;
  const list = useRef<HTMLDivElement>(null);
  const move = (by: number): void => {
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? tab;
    model.tab.value = next;
    list.current?.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div
      ref={list}
      class="tabs"
      role="tablist"
      aria-label="State"
      onKeyDown={(event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        move(by);
      }}
    >
      {TABS.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${panel}-${name}`}
          data-tab={name}
          aria-selected={name === tab}
          aria-controls={panel}
          tabIndex={name === tab ? 0 : -1}
          onClick={() => (model.tab.value = name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Of the run that the event is of, or of the one before it. */
function Sums({ model }: { readonly model: SessionModel }) {
  const { runs } = model.view.value;
  const event = model.event.value;
  const run = runs.find(({ listed }) => listed.run === event?.run) ?? runs.at(-1);
  if (run === undefined) return null;
  const { listed, state } = run;
  const ordinal = runs.indexOf(run) + 1;
  const isOver = listed.endedAt !== null;
  const isKnown = knowsSpent(model, listed.spent);
  return (
    <dl class="sum">
      <div>
        <dt>{`Run ${ordinal}`}</dt>
        <dd>{capitalised(listed.status)}</dd>
      </div>
      <div>
        <dt>Turn</dt>
        <dd>{Math.max(isOver ? state.steps : state.steps + 1, 1)}</dd>
      </div>
      <div>
        <dt>Tokens in / out</dt>
        <dd>
          {isKnown ? `${grouped(listed.spent.inputTokens)} / ${grouped(listed.spent.outputTokens)}` : '–'}
        </dd>
      </div>
      <div>
        <dt>Cost so far</dt>
        <dd>
          <Money amount={isKnown ? formatDollars(listed.spent.cost) : null} />
        </dd>
      </div>
    </dl>
  );
}
