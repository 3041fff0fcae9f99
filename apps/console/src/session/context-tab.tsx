import { useState } from 'preact/hooks';
import { type Content, type ContextMessage, parsePlace, sizeOf } from '#domain/browser';
import { Bdi } from '../conversation/bdi.js';
import { TextView } from '../conversation/text-view.js';
import { visible } from '../conversation/visible.js';
import { Button } from '../parts/controls.js';
import { Empty } from '../parts/region.js';
import { Go } from './go.js';
import type { SessionModel } from './model.js';
import { grouped } from './text.js';
import { textOf } from './texts.js';

const SHOWN = 50;

/** What the model of a run that starts here is sent, message by message, behind the system message. */
export function ContextTab({ model }: { readonly model: SessionModel }) {
  const { context, leftOut, runs, scale } = model.view.value;
  const [most, setMost] = useState(SHOWN);
  if (context.length === 0)
    return (
      <Empty
        title="Nothing to be told"
        sentence="No message stands before this event, so a run that starts here begins with its own."
      />
    );
  const first = Math.max(context.length - most, 0);
  // Each model counts in tokens of its own: those of the one that was asked last.
  const counts = runs.at(-1)?.state.model ?? '';
  const tokensOf = (message: ContextMessage): number => scale.tokensOf(counts, sizeOf(message));
  const tokens = context.reduce((sum, message) => sum + tokensOf(message), 0);
  return (
    <>
      <p class="meta context-sum">{`${grouped(context.length)} messages, about ${grouped(tokens)} tokens, without the system message`}</p>
      {leftOut !== null && (
        <p class="meta context-left">
          {'What was said from '}
          <Place model={model} text={leftOut.from} />
          {' to '}
          <Place model={model} text={leftOut.through} />
          {leftOut.isSummed ? ' is told as a summary.' : ' is not told any more.'}
        </p>
      )}
      {first > 0 && (
        <Button small onClick={() => setMost(most + SHOWN)}>
          Show earlier messages
        </Button>
      )}
      <ol class="context" aria-label="Model context">
        {context.slice(first).map((message, at) => (
          <Message key={first + at} model={model} message={message} tokens={tokensOf(message)} />
        ))}
      </ol>
    </>
  );
}

/** An event of this session leads there; one of what it was forked from is named. */
function Place({ model, text }: { readonly model: SessionModel; readonly text: string }) {
  const place = parsePlace(text);
  if (place === null || place.session !== undefined) return <Bdi text={text} class="mono" />;
  return <Go model={model} to={place.revision} />;
}

const callsOf = (message: ContextMessage) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []);

/** As the model is told them; those in a file are read here. */
function Words({ model, content }: { readonly model: SessionModel; readonly content: Content }) {
  return (
    <TextView
      session={model.store.session}
      text={textOf(model, content)}
      draw={(text) => (
        <p class="plain mono" dir="auto">
          {visible(text)}
        </p>
      )}
    />
  );
}

interface MessageProps {
  readonly model: SessionModel;
  readonly message: ContextMessage;
  readonly tokens: number;
}

function Message({ model, message, tokens }: MessageProps) {
  const { role, content } = message;
  return (
    <li>
      <div class="by">
        <b>{role}</b>
        {role === 'tool' && <span class="mono">{message.callId}</span>}
        <span class="tokens">{`${grouped(tokens)} tokens`}</span>
      </div>
      <Words model={model} content={content} />
      {callsOf(message).map(({ id, name, arguments: input }) => (
        <div key={id} class="call">
          <Bdi text={name} class="mono" />
          <Words model={model} content={input} />
        </div>
      ))}
    </li>
  );
}
