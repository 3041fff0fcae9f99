import { Link } from '../app/link.js';
import { Bdi } from '../conversation/bdi.js';
import { LinkQuestion } from '../conversation/link-question.js';
import { Markdown } from '../conversation/markdown-view.js';
import { shorten } from '../conversation/shorten.js';
import { visible } from '../conversation/visible.js';
import type { ActionView } from '../api/types.js';
import { Shape } from '../parts/icon.js';
import { Time } from '../parts/values.js';
import { Asked } from './asked-view.js';
import { type ActionContext, useActionContext } from './context.js';
import { ASKS, type Decidable, decidableOf } from './decidable.js';
import { Decide } from './decision.js';
import { Expiry } from './expiry.js';
import { GivenAnswer } from './given-answer.js';
import { Outcome } from './outcome.js';

interface ApprovalCardProps {
  readonly view: ActionView;
  readonly nameOfKey: (id: string) => string;
  readonly onDecided: (view: ActionView) => void;
  /** It is the page itself: nothing leads to it. */
  readonly isAlone?: boolean;
}

/** One decision, understood: what, with what input, for whom, why, until when. */
export function ApprovalCard({ view, nameOfKey, onDecided, isAlone = false }: ApprovalCardProps) {
  const action = decidableOf(view);
  const context = useActionContext(action);
  const isOpen = action.status === 'open';
  const title = context.title ?? action.session;
  return (
    <article
      class={isOpen ? 'card ask approval' : 'card approval'}
      tabIndex={-1}
      aria-label={visible(`${action.about} in ${title}`)}
      data-action={action.id}
    >
      <Head action={action} isAlone={isAlone} />
      <div class="asked">
        <p class="dim">
          <span>
            in{' '}
            <Link href={`/console/sessions/${encodeURIComponent(action.session)}`}>
              <Bdi text={title} />
            </Link>
            {context.askedBy !== null && (
              <>
                , asked by <Bdi text={nameOfKey(context.askedBy)} />
              </>
            )}{' '}
            at <Time at={view.created_at} full />
          </span>
        </p>
        <Asked action={action} />
        <AgentSays context={context} />
        {isOpen && action.kind === 'approval' && context.needsAnotherKey && (
          <p class="meta">Not by a key that started or steered the run.</p>
        )}
      </div>
      <div class="decide">
        <Decide action={action} nameOfKey={nameOfKey} onDecided={onDecided} />
        {action.decision === 'answer' && <GivenAnswer action={action} isOpen={isAlone} />}
      </div>
      {isAlone && <LinkQuestion />}
    </article>
  );
}

function Head({ action, isAlone }: { readonly action: Decidable; readonly isAlone: boolean }) {
  const isOpen = action.status === 'open';
  return (
    <p class="ch">
      {isOpen ? (
        <>
          <Shape name="wait" />
          {ASKS[action.kind]}
        </>
      ) : (
        <Outcome action={action} />
      )}
      <span class="ch-end">
        {isOpen && <Expiry at={action.expiresAt} />}
        {!isAlone && (
          <Link
            href={`/console/approvals/${encodeURIComponent(action.id)}`}
            label={visible(`Open ${action.about}`)}
          >
            Open
          </Link>
        )}
      </span>
    </p>
  );
}

/** Characters of what the agent says that are shown at once. */
const BRIEF = 160;

function AgentSays({ context: { says } }: { readonly context: ActionContext }) {
  if (says === null || says.trim() === '') return null;
  if (says.length <= BRIEF)
    return (
      <div class="says">
        <span class="meta">The agent says</span>
        <Markdown text={says} />
      </div>
    );
  return (
    <details class="says">
      <summary>
        <span class="meta">The agent says</span> <Bdi text={`${says.slice(0, BRIEF)}…`} />
      </summary>
      <Markdown text={shorten(says).text} />
    </details>
  );
}
