import { useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { Fields, Json } from '../conversation/json-view.js';
import { shorten } from '../conversation/shorten.js';
import { Button } from '../parts/controls.js';
import { type Decidable, wordsOf } from './decidable.js';

/** What is asked, in words: of a call the tool and its input, the one that was carried out, as a table of its fields. */
export function Asked({ action }: { readonly action: Decidable }) {
  const [isJson, setJson] = useState(false);
  const { kind, asked, about, isRounded, carriedOut, raisedTo } = action;
  const input = carriedOut || action.input;
  if (input !== null) {
    const { text, left } = shorten(input);
    return (
      <>
        <p>
          <b class="mono">
            <Bdi text={about} />
          </b>
          <Button small kind="ghost" pressed={isJson} onClick={() => setJson(!isJson)}>
            as JSON
          </Button>
          {carriedOut !== null && <span class="warn">Input changed</span>}
        </p>
        {isJson || left > 0 ? <Json text={text} /> : <Fields text={text} />}
        {isRounded && (
          <p class="warn">
            A number here has more digits than are shown. The chat and the log of its session have it whole;
            in the chat it can be changed.
          </p>
        )}
        {left > 0 && <p class="meta">{`and ${left} characters more, in the event itself`}</p>}
      </>
    );
  }
  if (kind === 'budget') return <Budget asked={asked} raisedTo={raisedTo} />;
  if (kind === 'tool_servers')
    return (
      <p>
        The run goes on when these tool servers are sent again: <Bdi text={wordsOf(asked['servers'])} />
      </p>
    );
  return <Question asked={asked} />;
}

interface BudgetProps {
  readonly asked: Readonly<Record<string, unknown>>;
  readonly raisedTo: string | null;
}

function Budget({ asked, raisedTo }: BudgetProps) {
  return (
    <dl class="fields">
      <dt>spent</dt>
      <dd>
        <Bdi text={`$${wordsOf(asked['spent'])}`} />
      </dd>
      <dt>limit</dt>
      <dd>
        <Bdi text={`$${wordsOf(asked['limit'])}`} />
      </dd>
      {raisedTo !== null && (
        <>
          <dt>new limit</dt>
          <dd>
            <Bdi text={`$${raisedTo}`} />
          </dd>
        </>
      )}
      {asked['of'] !== undefined && (
        <>
          <dt>of</dt>
          <dd>
            <Bdi text={wordsOf(asked['of'])} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** A tool server asks. An address is shown, and never opened by the service. */
function Question({ asked }: { readonly asked: Readonly<Record<string, unknown>> }) {
  const { message, url, schema } = asked;
  return (
    <>
      <p dir="auto">
        <Bdi text={wordsOf(message)} />
      </p>
      {url !== undefined && (
        <p>
          It asks for a visit of <Bdi class="mono" text={wordsOf(url)} />
        </p>
      )}
      {schema !== undefined && <Json text={JSON.stringify(schema)} />}
    </>
  );
}
