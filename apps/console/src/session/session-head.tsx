import type { ComponentChildren } from 'preact';
import { Bdi } from '../conversation/bdi.js';
import { useState } from 'preact/hooks';
import { formatDollars } from '#domain/browser';
import { titleOf } from '#projections';
import { Link } from '../app/link.js';
import { useKeyNames } from '../conversation/key-names.js';
import { visible } from '../conversation/visible.js';
import { may } from '../lists/may.js';
import { type Act, useAct } from '../lists/use-act.js';
import { announce } from '../app/status.js';
import { copyText } from '../parts/controls.js';
import { Button } from '../parts/controls.js';
import { curlOf } from '../parts/curl.js';
import { Icon } from '../parts/icon.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { PageHead } from '../parts/page-head.js';
import { Failure } from '../parts/region.js';
import { Pill } from '../parts/status.js';
import { Money, Said, Time } from '../parts/values.js';
import { later } from '../parts/later.js';
import type { SessionModel } from './model.js';
import { useSessionView } from './session-data.js';
import { grouped } from './text.js';

interface HeadProps {
  readonly model: SessionModel;
  readonly onFork: () => void;
  /** How far it can be believed. */
  readonly badge: ComponentChildren;
}

const EraseDialog = later<{ readonly model: SessionModel; readonly onClose: () => void }>(
  async () => (await import('./dialogs.js')).EraseDialog,
);

/** What the session is called, how it stands, and what can be done with it. */
export function SessionHead({ model, onFork, badge }: HeadProps) {
  const { store } = model;
  const [isErasing, setErasing] = useState(false);
  const act = useAct();
  const { data } = useSessionView(model);
  const isErased = store.state.value === 'erased';
  const title = isErased ? 'Erased session' : (data?.title ?? firstWords(model) ?? 'Untitled session');
  const crumb = (
    <>
      <Link href="/console/sessions">Sessions</Link> / <span class="mono">{store.session}</span>
    </>
  );
  return (
    <div>
      <PageHead
        title={title}
        crumb={crumb}
        actions={<Actions model={model} act={act} onFork={onFork} onErase={() => setErasing(true)} />}
        facts={<Facts model={model} badge={badge} />}
      >
        <Said text={title} />
      </PageHead>
      {act.problem !== null && <Failure problem={act.problem} />}
      {isErased && <ErasedNote model={model} />}
      {isErasing && !isErased && <EraseDialog model={model} onClose={() => setErasing(false)} />}
    </div>
  );
}

interface ActionsProps {
  readonly model: SessionModel;
  readonly act: Act;
  readonly onFork: () => void;
  readonly onErase: () => void;
}

function Actions({ model, act, onFork, onErase }: ActionsProps) {
  const { store } = model;
  const isErased = store.state.value === 'erased';
  const save = (disclose: 'all' | 'none'): void =>
    act.run('export', async () => {
      const { exportSession } = await import('../proof/of-session.js');
      await exportSession(store.session, disclose);
      return 'Session exported';
    });
  const items: MenuItem[] = [
    { name: 'Copy link', icon: 'link', onSelect: () => copyLink(model) },
    {
      name: 'Copy as curl',
      icon: 'copy',
      onSelect: () =>
        void copyText(
          curlOf({ method: 'GET', path: `/sessions/${store.session}/log` }, window.location.origin),
        ),
    },
    { name: 'Raw', icon: 'text', onSelect: () => showRaw(model) },
    { name: 'Export without texts', icon: 'down', onSelect: () => save('none') },
  ];
  if (!isErased && may('admin'))
    items.push({ name: 'Erase session', icon: 'trash', danger: true, onSelect: onErase });
  const isLeft = !isErased || may('admin');
  return (
    <>
      {!isErased && (
        <Link href={`/console/chat/${store.session}`} class="btn">
          <Icon name="chat" />
          Open chat
        </Link>
      )}
      {isLeft && (
        <Button icon="down" idle={act.busy !== null} onClick={() => save('all')}>
          Export
        </Button>
      )}
      {!isErased && may('run') && model.last.value >= 0 && (
        <Button kind="pri" icon="fork" onClick={onFork}>
          {`Fork at event ${Math.max(model.at.value, 0)}`}
        </Button>
      )}
      <Menu label="More actions" items={items} />
    </>
  );
}

/** The event that is looked at, as it stands on the log. */
function showRaw(model: SessionModel): void {
  model.tab.value = 'Event';
  model.dataForm.value = 'verbatim';
}

/** When it was erased, and by whom, where the key may know that. */
function ErasedNote({ model }: { readonly model: SessionModel }) {
  void model.store.replaced.value;
  const nameOf = useKeyNames();
  const erased = model.store.events.findLast(({ type }) => type === 'session_erased');
  return (
    <p role="note" aria-label="Erased session" class="erased-note">
      {erased === undefined ? (
        'Erased while it was on the screen. '
      ) : (
        <>
          Erased on <Time at={erased.time} full /> by <bdi>{visible(nameOf(erased.actor))}</bdi>.{' '}
        </>
      )}
      What was said is gone for good; what remains is structure and proof.
    </p>
  );
}

/** Before the lists know a title: the beginning of the first message. */
function firstWords(model: SessionModel): string | null {
  const message = model.summary.value?.titleFrom?.message;
  return typeof message === 'string' ? titleOf(message) || null : null;
}

function Facts({ model, badge }: { readonly model: SessionModel; readonly badge: ComponentChildren }) {
  const summary = model.summary.value;
  const status = summary?.lastStatus ?? null;
  const first = model.store.events[0];
  const { runs } = model.store.story;
  const last = [...runs.values()].at(-1);
  const request = last === undefined ? undefined : model.store.events[last.from]?.known;
  const isErased = model.store.state.value === 'erased';
  return (
    <>
      {isErased ? <Pill status="erased" /> : status !== null && <Pill status={status} />}
      {badge}
      {runs.size > 0 && (
        <span>
          <b>{grouped(runs.size)}</b> {runs.size === 1 ? 'run' : 'runs'}
        </span>
      )}
      {summary !== null && !(isErased && summary.cost === 0n) && (
        <b>
          <Money amount={formatDollars(summary.cost)} />
        </b>
      )}
      {first !== undefined && (
        <span>
          began{' '}
          <b>
            <Time at={first.time} full />
          </b>
        </span>
      )}
      {request?.type === 'run_requested' && request.data.model !== '' && (
        <span class="hide">
          model{' '}
          <b>
            <Bdi text={request.data.model} />
          </b>
        </span>
      )}
      {model.ancestors.value.slice(-1).map(({ session, at, title, isErased: isGone }) =>
        isGone ? (
          <span key={session}>{`Forked from an erased session at ${at}`}</span>
        ) : (
          <Link key={session} href={`/console/sessions/${session}@${at}`}>
            {`Forked from ${title ?? session} at ${at}`}
          </Link>
        ),
      )}
    </>
  );
}

/** The page as it is looked at now, event and all. */
export function copyLink(model: SessionModel): void {
  const url = new URL(window.location.href);
  url.pathname = `/console/sessions/${model.store.session}@${Math.max(model.at.value, 0)}`;
  void copyText(url.href).then((isDone) =>
    announce(isDone ? 'Link copied' : 'The browser did not let it be copied'),
  );
}
