import { useState } from 'preact/hooks';
import { formatDollars, titleOf } from '#domain/browser';
import { Link } from '../app/link.js';
import { may } from '../lists/may.js';
import { announce } from '../app/status.js';
import { copyText } from '../parts/controls.js';
import { Button } from '../parts/controls.js';
import { curlOf } from '../parts/curl.js';
import { Icon } from '../parts/icon.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { PageHead } from '../parts/page-head.js';
import { Pill } from '../parts/status.js';
import { Money, Said, Time } from '../parts/values.js';
import { later } from '../parts/later.js';
import type { SessionModel } from './model.js';
import { useSessionView } from './session-data.js';
import { grouped } from './text.js';

interface HeadProps {
  readonly model: SessionModel;
  readonly onFork: () => void;
}

const EraseDialog = later<{ readonly model: SessionModel; readonly onClose: () => void }>(
  async () => (await import('./dialogs.js')).EraseDialog,
);

/** What the session is called, how it stands, and what can be done with it. */
export function SessionHead({ model, onFork }: HeadProps) {
  const { store } = model;
  const [isErasing, setErasing] = useState(false);
  const { data } = useSessionView(model);
  const isErased = store.state.value === 'erased';
  const title = isErased ? 'Erased session' : (data?.title ?? firstWords(model) ?? 'Untitled session');
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
  ];
  if (!isErased && may('admin'))
    items.push({ name: 'Erase session', icon: 'trash', danger: true, onSelect: () => setErasing(true) });
  const crumb = (
    <>
      <Link href="/console/sessions">Sessions</Link> / <span class="mono">{store.session}</span>
    </>
  );
  const actions = (
    <>
      {!isErased && (
        <Link href={`/console/chat/${store.session}`} class="btn">
          <Icon name="chat" />
          Open chat
        </Link>
      )}
      {!isErased && may('run') && model.last.value >= 0 && (
        <Button kind="pri" icon="fork" onClick={onFork}>
          {`Fork at event ${Math.max(model.at.value, 0)}`}
        </Button>
      )}
      <Menu label="More actions" items={items} />
    </>
  );
  return (
    <>
      <PageHead title={title} crumb={crumb} actions={actions} facts={<Facts model={model} />}>
        <Said text={title} />
      </PageHead>
      {isErased && (
        <p role="note" aria-label="Erased session" class="erased-note">
          Erased while it was on the screen. What was said is gone for good; what remains is structure: which
          events there were, and when.
        </p>
      )}
      {isErasing && !isErased && <EraseDialog model={model} onClose={() => setErasing(false)} />}
    </>
  );
}

/** Before the lists know a title: the beginning of the first message. */
function firstWords(model: SessionModel): string | null {
  const message = model.summary.value?.titleFrom?.message;
  return typeof message === 'string' ? titleOf(message) || null : null;
}

function Facts({ model }: { readonly model: SessionModel }) {
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
      {runs.size > 0 && (
        <span>
          <b>{grouped(runs.size)}</b> {runs.size === 1 ? 'run' : 'runs'}
        </span>
      )}
      {summary !== null && (
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
            <bdi>{request.data.model}</bdi>
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
