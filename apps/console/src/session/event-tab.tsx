import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { eventHash, toHex } from '#proof/browser';
import { api } from '../api/client.js';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { Bdi } from '../conversation/bdi.js';
import { Json } from '../conversation/json-view.js';
import { visible } from '../conversation/visible.js';
import { Button, Copy, Seg } from '../parts/controls.js';
import { size } from '../parts/format.js';
import { Failure } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { Time } from '../parts/values.js';
import { Go } from './go.js';
import type { LogEvent, LogLine } from './log-event.js';
import type { SessionModel } from './model.js';
import { counted } from './text.js';
import { ToldCut } from './told-cut.js';

/** One event, as it stands on the log. */
export function EventTab({ model }: { readonly model: SessionModel }) {
  const event = model.event.value;
  const { value: form } = model.dataForm;
  if (event === null) return null;
  const { line } = event;
  return (
    <div class="event-tab">
      <div class="event-head">
        <b class="mono">{event.type}</b>
        <Seg
          name="Data"
          value={form}
          options={[
            ['pretty', 'Pretty'],
            ['verbatim', 'Verbatim'],
          ]}
          onChange={(shown) => (model.dataForm.value = shown)}
        />
        {line.text !== undefined && <Copy text={line.text} label="Copy the data" kind="ghost" />}
      </div>
      <Data key={event.id} model={model} event={event} isPlain={form === 'verbatim'} />
      <Told model={model} event={event} />
      <Envelope model={model} event={event} />
    </div>
  );
}

interface DataProps {
  readonly model: SessionModel;
  readonly event: LogEvent;
  readonly isPlain: boolean;
}

function Data({ model, event: { id, line }, isPlain }: DataProps) {
  const content = model.contents.value.get(id) ?? null;
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const load = (): void => {
    const path = `/sessions/${encodeURIComponent(model.store.session)}/log/${id}`;
    void api
      .get<LogLine & { readonly content: string | null }>(path)
      .then((whole) => {
        model.store.replace(whole);
        model.noteRead(model.store.session, id, whole.content ?? '');
      })
      .catch((error: unknown) => setProblem(asProblem(error)));
  };
  const isCut = line.text === undefined && line.head !== undefined;
  const isInFile = line.text?.includes('"$file"') === true;
  return (
    <>
      {line.text !== undefined && <Json text={line.text} isPlain={isPlain} />}
      {isCut && (
        <p class="plain mono" dir="auto">
          {visible(line.head ?? '')}…
        </p>
      )}
      {line.text === undefined && line.head === undefined && <p class="dim">What was said is erased.</p>}
      {(isCut || (isInFile && content === null)) && (
        <Button small onClick={load}>
          {isCut ? `Load all of it (${size(line.bytes ?? 0)})` : 'Show the text of its file'}
        </Button>
      )}
      {isInFile && content !== null && (
        <p class="plain mono" dir="auto">
          {visible(content)}
        </p>
      )}
      {problem !== null && <Failure problem={problem} onRetry={load} />}
    </>
  );
}

/** To whom it was sent. */
function Told({ model, event }: { readonly model: SessionModel; readonly event: LogEvent }) {
  const told = model.told.value.filter(({ event: of }) => of === event.id);
  if (told.length === 0) return <ToldCut model={model} />;
  return (
    <section class="part">
      <h3>Told</h3>
      <ul>
        {told.map(({ id, target, status, attempts, answer }) => (
          <li key={id}>
            <StatusWord status={status} /> <Bdi text={target} />{' '}
            <span class="meta">{`${counted(attempts, 'attempt')} ${answer}`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Envelope({ model, event }: { readonly model: SessionModel; readonly event: LogEvent }) {
  const { line } = event;
  const { events } = model.store;
  // What it causes comes later.
  void model.last.value;
  const cause =
    line.causationId === undefined ? undefined : events.find((other) => other.line.id === line.causationId);
  const effects = events.filter((other) => other.line.causationId === line.id).slice(0, 20);
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['Id', String(event.id)],
    ['Time', <Time key="t" at={event.time} full />],
    ['Actor', <Bdi key="a" text={event.actor} class="mono" />],
    ['Project', <Bdi key="p" text={line.project} class="mono" />],
    ['Run', <Bdi key="r" text={event.run ?? '–'} class="mono" />],
    ['UUID', <code key="u">{line.id}</code>],
    [
      'Caused by',
      cause === undefined ? (line.causationId ?? '–') : <Go key="c" model={model} to={cause.id} />,
    ],
    ['Caused', effects.length === 0 ? '–' : effects.map(({ id }) => <Go key={id} model={model} to={id} />)],
    ['Correlation', <code key="x">{line.correlationId ?? '–'}</code>],
    ['Schema version', String(line.schemaVersion)],
    ['Hash', <Hash key={`h${event.id}`} session={model.store.session} line={line} />],
    ['Commitment', <code key="m">{line.commitment}</code>],
    ['Follows (prev)', <code key="v">{line.prev === '' ? '–' : line.prev}</code>],
  ];
  return (
    <section class="part">
      <h3>Envelope</h3>
      <dl class="kv">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Computed here, of the envelope: nobody has to be believed. */
function Hash({ session, line }: { readonly session: string; readonly line: LogLine }) {
  const hash = useMemo(() => toHex(eventHash({ stream: `session-${session}`, ...line })), [session, line]);
  return <code>{hash}</code>;
}
