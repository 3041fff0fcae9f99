import { useState } from 'preact/hooks';
import { Link } from '../app/link.js';
import { Button } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { StatusWord } from '../parts/status.js';
import { Duration, Time } from '../parts/values.js';
import { toldCall } from './asked.js';
import { Bdi } from './bdi.js';
import { type Text, type ToolItem, loadedText, nameOf } from './items.js';
import { Json } from './json-view.js';
import { TextView } from './text-view.js';

interface ToolCardProps {
  readonly session: string;
  readonly item: ToolItem;
  readonly isFormatted: boolean;
}

const STATUS = {
  open: ['running', 'Running'],
  waiting: ['waiting', 'Waits'],
  done: ['completed', 'Done'],
  failed: ['failed', 'Failed'],
  unknown: ['stopped', 'No result'],
} as const;

/** Characters and lines that a card shows of an input or a result while it is folded. */
const FOLDED_CHARACTERS = 160;
const FOLDED_LINES = 3;

const isLong = (text: Text | null): boolean => {
  if (text === null) return false;
  const loaded = loadedText(text);
  return (
    text.some((piece) => typeof piece !== 'string') ||
    loaded.length > FOLDED_CHARACTERS ||
    loaded.split('\n', FOLDED_LINES + 1).length > FOLDED_LINES
  );
};

/** A call of a tool: its input and, when it is there, its result. Folded, each is cut off by style alone. */
export function ToolCard({ session, item, isFormatted }: ToolCardProps) {
  const [isOpen, setOpen] = useState(false);
  const canFold = isLong(item.input) || isLong(item.result);
  const [status, word] = STATUS[item.state];
  const isPlain = !isFormatted && !isOpen;
  return (
    <article aria-label={nameOf(item) ?? undefined} class="msg card tool" data-event={item.event}>
      <p class="ch">
        <Icon name="wrench" />
        <Bdi class="mono tool-name" text={item.tool} />
        {item.step !== null && <Bdi class="meta" text={`step ${item.step.slice(0, 40)}`} />}
        <span class="ch-end">
          {item.tookMs !== null && <Duration ms={item.tookMs} />}
          <StatusWord status={status} word={word} />
          <Time at={item.time} />
          <Link class="mono" href={`/console/sessions/${encodeURIComponent(session)}@${item.event}`}>
            {item.event}
          </Link>
          {canFold && (
            <Button small kind="ghost" expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Fold' : 'Show whole'}
            </Button>
          )}
        </span>
      </p>
      <div class={classOf('io', isOpen, canFold)}>
        <TextView
          session={session}
          text={item.input}
          read={inputText}
          draw={(text) => <Json text={text} isPlain={isPlain} />}
        />
      </div>
      {item.result !== null && (
        <div class={classOf('io result', isOpen, canFold)}>
          <TextView
            session={session}
            text={item.result}
            read={resultText}
            draw={(text) => <Json text={text} isPlain={isPlain} />}
          />
        </div>
      )}
    </article>
  );
}

const classOf = (name: string, isOpen: boolean, canFold: boolean): string =>
  `${name}${isOpen ? ' open' : canFold ? ' folded' : ''}`;

const inputText = (content: string): string => loadedText(toldCall(content).input);
const resultText = (content: string): string => content;
