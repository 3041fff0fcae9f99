import type { ComponentChildren } from 'preact';
import type { ViewedRun } from '#projections';
import { formatDollars } from '#domain/browser';
import { Link } from '../app/link.js';
import { Bdi } from '../conversation/bdi.js';
import { useKeyNames } from '../conversation/key-names.js';
import { visible } from '../conversation/visible.js';
import { Json } from '../conversation/json-view.js';
import { Duration, Money, Time } from '../parts/values.js';
import { Empty } from '../parts/region.js';
import { StatusWord } from '../parts/status.js';
import { Go } from './go.js';
import type { SessionModel } from './model.js';
import { knowsSpent } from './spent.js';
import { grouped } from './text.js';
import { WorkflowGraph } from './workflow-graph.js';

/** The run that the event is of: what it was given, who drove it, what is open, what it used. */
export function RunTab({ model }: { readonly model: SessionModel }) {
  const { runs, waits } = model.view.value;
  const event = model.event.value;
  const run = runs.find(({ listed }) => listed.run === event?.run) ?? runs.at(-1);
  if (run === undefined)
    return <Empty title="No run yet" sentence="No run was asked for up to this event." />;
  const { listed, workflows } = run;
  return (
    <div class="run-tab">
      <Facts model={model} run={run} />
      {listed.error !== null && (
        <p class="failure">
          <b>{listed.error.code}</b> <Bdi text={listed.error.message} />
        </p>
      )}
      <Claims model={model} run={run} />
      {run.openCalls.length > 0 && <OpenCalls run={run} />}
      {waits.some((wait) => wait.run === listed.run) && <Waits model={model} />}
      {workflows.map(({ callId, state: workflow }) => (
        <Part key={callId} title={visible(`Workflow ${workflow.workflow.name}`)}>
          <WorkflowGraph workflow={workflow} />
        </Part>
      ))}
      <Part title="Settings">
        <Json text={JSON.stringify(run.state.config)} />
      </Part>
    </div>
  );
}

interface PartProps {
  readonly model: SessionModel;
  readonly run: ViewedRun;
}

const Claims = ({ model, run: { claims } }: PartProps) => (
  <Part title="Claims">
    <ul>
      {claims.map(({ revision, time, worker, epoch }) => (
        <li key={revision}>
          <Go model={model} to={revision} /> <Time at={time} /> <Bdi text={worker} class="mono" />
          {epoch > 1 && <span class="meta">{` claim ${epoch}`}</span>}
        </li>
      ))}
    </ul>
  </Part>
);

const OpenCalls = ({ run: { openCalls } }: Pick<PartProps, 'run'>) => (
  <Part title="Calls open">
    <ul>
      {openCalls.map(({ call, action, task }) => (
        <li key={call.id}>
          <Bdi text={call.name} class="mono" />
          <span class="meta">{` ${callWords(action !== undefined, task !== undefined)}`}</span>
          <Json text={call.arguments} />
        </li>
      ))}
    </ul>
  </Part>
);

/** Only the run under way waits for somebody. */
const Waits = ({ model }: Pick<PartProps, 'model'>) => (
  <Part title="Waits for">
    <ul>
      {model.view.value.waits.map(({ id, kind, asked, expires_at: until }) => (
        <li key={id}>
          <Link href={`/console/approvals/${id}`}>{kind.replace('_', ' ')}</Link>{' '}
          <Go model={model} to={asked} />
          <span class="meta">{' until '}</span>
          <Time at={until} full />
        </li>
      ))}
    </ul>
  </Part>
);

const callWords = (hasAction: boolean, hasTask: boolean): string =>
  hasTask ? 'a task of its tool server' : hasAction ? 'waits for somebody' : 'under way';

const Part = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="part">
    <h3>{title}</h3>
    {children}
  </section>
);

function Facts({ model, run: { listed, state } }: PartProps) {
  const { spent } = listed;
  const nameOf = useKeyNames();
  const isKnown = knowsSpent(model, spent);
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['Status', <StatusWord key="s" status={listed.status} />],
    [
      'Run',
      <Link key="r" href={`/console/runs/${listed.run}`} class="mono">
        {listed.run}
      </Link>,
    ],
    ['Mode and model', <Bdi key="m" text={`${listed.mode}, ${listed.model}`} />],
    ['Asked for by', <Bdi key="a" text={`${nameOf(listed.actor)}, ${listed.trigger}`} />],
    ['Turns', String(state.steps)],
    ['Cost', <Money key="c" amount={isKnown ? formatDollars(spent.cost) : null} />],
    ['Tokens in / out', isKnown ? `${grouped(spent.inputTokens)} / ${grouped(spent.outputTokens)}` : '–'],
    ['Model calls', grouped(spent.modelCalls)],
    [
      'Waited',
      <Duration key="w" ms={listed.startedAt === null ? null : listed.startedAt - listed.createdAt} />,
    ],
    [
      'Took',
      <Duration
        key="t"
        ms={listed.endedAt === null ? null : listed.endedAt - (listed.startedAt ?? listed.createdAt)}
      />,
    ],
  ];
  return (
    <dl class="kv">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
