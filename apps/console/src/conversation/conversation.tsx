import { useMemo, useState } from 'preact/hooks';
import { Button } from '../parts/controls.js';
import { duration } from '../parts/format.js';
import { Shape } from '../parts/icon.js';
import { ActionCard } from './action-card.js';
import { Article } from './article.js';
import { Bdi } from './bdi.js';
import type { ConversationAt } from './conversation-fold.js';
import { conversationOf } from './conversation-of.js';
import type { ConversationEvent, Item, NoteItem, TextItem, UserItem } from './items.js';
import { Json } from './json-view.js';
import { useKeyNames } from './key-names.js';
import { LinkQuestion } from './link-question.js';
import { Markdown } from './markdown-view.js';
import { TextView } from './text-view.js';
import { ToolCard } from './tool-card.js';
import { visible } from './visible.js';
import { formattedKeys } from './weight.js';

/** Items that are shown before "Show earlier messages". */
const NEWEST = 50;

interface ItemsProps {
  readonly session: string;
  readonly conversation: ConversationAt;
  /** Waits can be decided here, and what was sent and waits for its turn is shown at the end. */
  readonly isLive?: boolean;
}

export interface ConversationProps extends Omit<ItemsProps, 'conversation'> {
  /** In order and from the first on. */
  readonly events: readonly ConversationEvent[];
  /** Moves when something is new in `events`, which is one array that grows. */
  readonly version: number;
  /** Id of the last event that counts; absent: all of them count. */
  readonly upTo?: number;
  /** Of a fork: what its ancestors' logs hold before its own events. */
  readonly inherited?: readonly ConversationEvent[];
}

/** A session's conversation at an event. */
export function Conversation({ events, version, upTo, inherited, ...props }: ConversationProps) {
  const conversation = useMemo(
    () => conversationOf(events, upTo, inherited),
    [events, version, upTo, inherited],
  );
  return <ConversationItems {...props} conversation={conversation} />;
}

/** The newest 50 articles, and what was said before on demand. */
export function ConversationItems({ session, conversation, isLive = false }: ItemsProps) {
  const { items, queued } = conversation;
  const [more, setMore] = useState(0);
  const nameOfKey = useKeyNames();
  const first = Math.max(0, items.length - NEWEST - more);
  const shown = items.slice(first);
  const formatted = useMemo(() => formattedKeys(shown), [items, first]);
  return (
    <>
      {first > 0 && (
        <Button small class="earlier" onClick={() => setMore(more + NEWEST)}>
          Show earlier messages
        </Button>
      )}
      {shown.map((item) => (
        <Entry
          key={item.key}
          session={session}
          item={item}
          isFormatted={formatted.has(item.key)}
          nameOfKey={nameOfKey}
          canDecide={isLive}
        />
      ))}
      {isLive &&
        queued.map((item) => (
          <UserMessage key={item.key} session={session} item={item} nameOfKey={nameOfKey} isQueued />
        ))}
      <LinkQuestion />
    </>
  );
}

interface EntryProps {
  readonly session: string;
  readonly item: Item;
  readonly isFormatted: boolean;
  readonly nameOfKey: (id: string) => string;
  readonly canDecide: boolean;
}

function Entry({ session, item, isFormatted, nameOfKey, canDecide }: EntryProps) {
  switch (item.kind) {
    case 'user':
      return <UserMessage session={session} item={item} nameOfKey={nameOfKey} />;
    case 'thinking':
      return <Thinking session={session} item={item} />;
    case 'response':
      return <Response session={session} item={item} isFormatted={isFormatted} />;
    case 'tool':
      return <ToolCard session={session} item={item} isFormatted={isFormatted} />;
    case 'action':
      return <ActionCard session={session} item={item} nameOfKey={nameOfKey} canDecide={canDecide} />;
    case 'handoff':
      return (
        <Article session={session} item={item} who="Handoff" class="handoff">
          <p class="said">
            <Bdi text={item.agent} />
          </p>
        </Article>
      );
    case 'output':
      return (
        <Article session={session} item={item} who={`Final output ${item.name}`.slice(0, 80)} class="output">
          <TextView
            session={session}
            text={item.text}
            draw={(text) => <Json text={text} isPlain={!isFormatted} />}
          />
        </Article>
      );
    case 'error':
      return (
        <Article session={session} item={item} who={item.code} class="error">
          <p class="plain">
            <Bdi text={item.text} />
          </p>
        </Article>
      );
    case 'note':
      return <Note item={item} />;
  }
}

interface UserMessageProps {
  readonly session: string;
  readonly item: UserItem;
  readonly nameOfKey: (id: string) => string;
  readonly isQueued?: boolean;
}

function UserMessage({ session, item, nameOfKey, isQueued = false }: UserMessageProps) {
  const word = isQueued
    ? item.isSteering
      ? 'Steers at the next turn'
      : 'Queued'
    : item.isSteering
      ? 'Steered'
      : null;
  return (
    <Article
      session={session}
      item={item}
      who={nameOfKey(item.actor)}
      class={isQueued ? 'user queued' : 'user'}
      more={word !== null && <span class="meta">{word}</span>}
    >
      <TextView session={session} text={item.text} draw={plain} />
    </Article>
  );
}

const plain = (text: string) => (
  <p class="plain said" dir="auto">
    {visible(text)}
  </p>
);

function Thinking({ session, item }: { readonly session: string; readonly item: TextItem }) {
  return (
    <Article session={session} item={item} who="Agent" class="thinking">
      <details open={item.isOpen}>
        <summary>{item.tookMs === null ? 'Thinking' : `Thought for ${duration(item.tookMs)}`}</summary>
        <TextView session={session} text={item.text} draw={plain} />
      </details>
    </Article>
  );
}

interface ResponseProps {
  readonly session: string;
  readonly item: TextItem;
  readonly isFormatted: boolean;
}

function Response({ session, item, isFormatted }: ResponseProps) {
  return (
    <Article session={session} item={item} who="Agent" class={item.isOpen ? 'agent writing' : 'agent'}>
      <TextView
        session={session}
        text={item.text}
        draw={(text) => (isFormatted ? <Markdown text={text} /> : plain(text))}
      />
    </Article>
  );
}

const Note = ({ item: { tone, text } }: { readonly item: NoteItem }) => (
  <p class={tone === 'warning' ? 'note warn' : 'note'}>
    {tone === 'warning' && <Shape name="wait" />}
    <Bdi text={text} />
  </p>
);
