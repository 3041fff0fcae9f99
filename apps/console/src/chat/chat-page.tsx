import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { usePolled } from '../api/polled.js';
import type { Page, SessionView } from '../api/types.js';
import { Link } from '../app/link.js';
import { navigate } from '../app/router.js';
import { auth, may } from '../app/session.js';
import { announce } from '../app/status.js';
import { visible } from '../conversation/visible.js';
import { ConversationItems } from '../conversation/conversation.js';
import type { ConversationAt } from '../conversation/conversation-fold.js';
import { PageHead } from '../parts/page-head.js';
import { Pill } from '../parts/status.js';
import { Failure } from '../parts/region.js';
import { Count, Money } from '../parts/values.js';
import { type SessionStore, useSessionStore } from '../session/store.js';
import { useAnnouncements } from './announcer.js';
import { Composer } from './composer.js';
import type { ChatFacts } from './facts.js';
import { useFolded } from './folded.js';
import { useInherited } from './inherited.js';
import { useStickToEnd } from './stick-to-end.js';

/** What the first message of a project is, if nobody writes another. */
const GREETING = 'Hello! Please introduce yourself: who are you, and what can you do for me?';

/** A session that this tab has just made: all of it is news, and its composer has the focus. */
let begun: string | null = null;

interface ChatProps {
  readonly session: string | null;
  /** A session that this one was forked from is erased: nothing that the page made of its texts may stay. */
  readonly onAncestorErased: () => void;
}

export function ChatPage({ session, onAncestorErased }: ChatProps) {
  const store = useSessionStore(session);
  const inherited = useInherited(store, onAncestorErased);
  const { facts, conversation } = useFolded(store, inherited);
  const isErased = store?.state.value === 'erased';
  const title = useTitle(isErased ? null : session, facts.run);
  const suggestion = useSuggestion(session);
  const isNew = useRef(session !== null && begun === session);
  useEffect(() => {
    if (!isNew.current) return;
    begun = null;
    // Behind the navigation, which puts the focus on the title in the next frame.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => document.getElementById('message')?.focus({ preventScroll: true }));
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div class="page chat">
      <PageHead
        title={isErased ? 'Erased session' : visible(title)}
        actions={
          session !== null && (
            <Link class="btn" href={`/console/sessions/${encodeURIComponent(session)}`}>
              Open session log
            </Link>
          )
        }
        facts={isErased ? <Pill status="erased" /> : <RunFacts facts={facts} />}
      />
      {session === null ? (
        <Beginning />
      ) : (
        <Talk
          session={session}
          store={store}
          conversation={inherited === null ? null : conversation}
          status={facts.status}
          isNew={isNew.current}
        />
      )}
      {!isErased && (
        <Composer
          session={session}
          isBusy={facts.isBusy}
          suggestion={suggestion}
          onAccepted={(accepted) => {
            if (session !== null) return;
            begun = accepted.session;
            navigate(`/console/chat/${encodeURIComponent(accepted.session)}`);
          }}
          cancel={
            facts.isBusy && facts.run !== null
              ? { isOff: facts.isCancelling, act: () => cancel(facts.run!) }
              : null
          }
        />
      )}
    </div>
  );
}

function cancel(run: string): void {
  void api
    .post(`/runs/${encodeURIComponent(run)}/cancel`)
    .then(() => announce('The run is being cancelled'))
    .catch((error: unknown) =>
      announce(error instanceof Error ? error.message : 'It could not be cancelled'),
    );
}

const RunFacts = ({ facts: { status, cost, outputTokens } }: { readonly facts: ChatFacts }) => (
  <div class="facts run-facts" role="status" aria-label="Run status" aria-live="off">
    {status !== null && (
      <>
        <Pill status={status} />
        <Money amount={cost} />
        <span>
          <Count of={outputTokens} /> tokens out
        </span>
      </>
    )}
  </div>
);

/** What is said where nothing was said yet. */
function Beginning() {
  return (
    <div class="beginning">
      <p class="lead">Everything that the agent does for this message is on the log before you see it.</p>
      {auth.value?.demo_model === true && (
        <p class="lead demo">
          Answers come from the built-in demo model. For a real one, start the service with{' '}
          <code>OPENAI_API_KEY</code>, or <code>OPENAI_BASE_URL</code> for any server that speaks Chat
          Completions.
        </p>
      )}
    </div>
  );
}

interface TalkProps {
  readonly session: string;
  readonly store: SessionStore | null;
  /** null: it is being read. */
  readonly conversation: ConversationAt | null;
  readonly status: string | null;
  readonly isNew: boolean;
}

function Talk({ session, store, conversation, status, isNew }: TalkProps) {
  const state = store?.state.value ?? 'loading';
  const head = store?.head.value ?? -1;
  const problem = store?.problem.value ?? null;
  const [from, setFrom] = useState<number | null>(isNew ? -1 : null);
  useEffect(() => {
    if (from === null && state === 'live') setFrom(head);
  }, [state, head]);
  useAnnouncements(conversation?.items ?? [], status, from);
  useStickToEnd(conversation);
  if (state === 'missing' || state === 'erased')
    return (
      <p class="lead">
        {state === 'erased'
          ? 'This session was erased.'
          : 'This session does not exist, or was erased, or belongs to another project.'}{' '}
        <Link href="/console/chat">New chat</Link>
      </p>
    );
  const isLoading = conversation === null || conversation.items.length + conversation.queued.length === 0;
  return (
    <>
      {auth.value?.demo_model === true && <p class="meta demo">Answers come from the built-in demo model.</p>}
      {problem !== null && <Failure problem={problem} />}
      <div
        class="talk"
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={isLoading && state === 'loading'}
        tabIndex={0}
      >
        {!isLoading && <ConversationItems session={session} conversation={conversation} isLive />}
      </div>
    </>
  );
}

/** The session's title, read again when a run begins. */
function useTitle(session: string | null, run: string | null): string {
  const path = session === null ? null : `/sessions/${encodeURIComponent(session)}`;
  const { data, refresh } = usePolled<SessionView>(path, null);
  useEffect(() => {
    if (run !== null && data !== null && data.title === null) refresh();
  }, [run, data]);
  return session === null ? 'New chat' : (data?.title ?? 'Chat');
}

/** A first message that is already written, while the project has no session. */
function useSuggestion(session: string | null): string {
  const mayRead = may('read');
  const { data } = usePolled<Page<SessionView>>(
    session === null && mayRead ? '/sessions?limit=1' : null,
    null,
  );
  return data !== null && data.items.length === 0 ? GREETING : '';
}
