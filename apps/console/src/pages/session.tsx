import { useEffect, useMemo, useState } from 'preact/hooks';
import { location } from '../app/router.js';
import type { PageProps } from '../app/routes.js';
import { Link } from '../app/link.js';
import { may } from '../lists/may.js';
import { Seg } from '../parts/controls.js';
import { PageHead } from '../parts/page-head.js';
import { Failure } from '../parts/region.js';
import { later } from '../parts/later.js';
import { Badge, useVerification } from '../proof/badge.js';
import { TextRead } from '../conversation/text-view.js';
import { LogPane } from '../session/log-pane.js';
import { SessionModel } from '../session/model.js';
import { firstLook, useAddress } from '../session/place.js';
import { Player } from '../session/play.js';
import { useAncestors, useTold } from '../session/session-data.js';
import { SessionHead } from '../session/session-head.js';
import { useSessionKeys } from '../session/session-keys.js';
import { StatePane } from '../session/state-pane.js';
import { type SessionStore, useSessionStore } from '../session/store.js';
import { Timeline } from '../session/timeline.js';
import { Transport } from '../session/transport.js';

/** A session: its timeline, its log, and its state at any event. */
export default function Page({ params }: PageProps) {
  const { session = '', at } = params;
  const store = useSessionStore(session);
  const [erasures, setErasures] = useState(0);
  if (store === null) return <div class="page" aria-busy="true" />;
  // Nothing that the page made of a text outlives its erasure, in this session or in one that it was forked from.
  const isErased = store.state.value === 'erased';
  return (
    <Session
      key={`${isErased} ${erasures}`}
      store={store}
      at={at}
      onAncestorErased={() => setErasures(erasures + 1)}
    />
  );
}

const ForkDialog = later<{ readonly model: SessionModel; readonly onClose: () => void }>(
  async () => (await import('../session/dialogs.js')).ForkDialog,
);

interface SessionProps {
  readonly store: SessionStore;
  readonly at: string | undefined;
  readonly onAncestorErased: () => void;
}

function Session({ store, at, onAncestorErased }: SessionProps) {
  const model = useMemo(() => new SessionModel(store, firstLook(at, location.value.query)), [store]);
  const player = useMemo(() => new Player(model), [model]);
  const verification = useVerification(model);
  const [isForking, setForking] = useState(false);
  const [isVerifying, setVerifying] = useState(false);
  const [view, setView] = useState<'log' | 'state'>('log');
  const canFork = store.state.value !== 'erased' && may('run');
  const onFork = (): void => setForking(canFork && model.last.value >= 0);
  useEffect(() => () => player.pause(), [player]);
  useAddress(model, at);
  useAncestors(model, onAncestorErased);
  useTold(model);
  useSessionKeys(model, player, { f: onFork, v: () => setVerifying(true) });
  const { value: state } = store.state;
  const { value: problem } = store.problem;
  if (state === 'missing') return <Missing session={store.session} />;
  if (state === 'refused' && problem !== null) return <Refused store={store} />;
  return (
    <div class={`page session view-${view}`}>
      <SessionHead
        model={model}
        onFork={onFork}
        badge={<Badge model={model} verification={verification} isOpen={isVerifying} onOpen={setVerifying} />}
      />
      <section class="scrub" aria-label="Timeline">
        <Transport model={model} player={player} />
        <Timeline model={model} />
      </section>
      <Seg
        name="View"
        class="narrow"
        value={view}
        options={[
          ['log', 'Log'],
          ['state', 'State'],
        ]}
        onChange={setView}
      />
      <div class="split">
        <LogPane model={model} />
        <TextRead.Provider value={model.noteRead}>
          <StatePane model={model} />
        </TextRead.Provider>
      </div>
      {isForking && <ForkDialog model={model} onClose={() => setForking(false)} />}
    </div>
  );
}

const Missing = ({ session }: { readonly session: string }) => (
  <div class="page">
    <PageHead title="There is no such session" />
    <p class="lead">
      <code>{session}</code> does not exist, or was erased, or belongs to another project.{' '}
      <Link href="/console/sessions">To the sessions</Link>
    </p>
  </div>
);

function Refused({ store }: { readonly store: SessionStore }) {
  const { value: problem } = store.problem;
  return (
    <div class="page">
      <PageHead title="Session" />
      {problem !== null && <Failure problem={problem} onRetry={() => window.location.reload()} />}
    </div>
  );
}
