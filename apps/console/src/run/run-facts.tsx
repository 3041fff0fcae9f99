import { Link } from '../app/link.js';
import { Bdi } from '../conversation/bdi.js';
import type { RunView } from '../api/types.js';
import { runPath } from '../lists/path.js';
import { msBetween } from '../parts/format.js';
import { Pill } from '../parts/status.js';
import { capitalised } from '../parts/status-looks.js';
import { Count, Duration, Money, Said, Time } from '../parts/values.js';

interface RunFactsProps {
  readonly of: RunView;
  readonly nameOf: (key: string) => string;
}

/** The line under the title. */
export const RunFacts = ({ of: run, nameOf }: RunFactsProps) => (
  <>
    <Pill status={run.status} />
    <span>
      {run.mode} · <Said text={run.model} /> · {run.trigger} by <Said text={nameOf(run.actor)} />
    </span>
    <span>
      <Time at={run.created_at} full />
    </span>
    {run.ended_at !== null && (
      <span>
        took{' '}
        <b>
          <Duration ms={msBetween(run.started_at ?? run.created_at, run.ended_at)} />
        </b>
      </span>
    )}
    <span>
      cost{' '}
      <b>
        <Money amount={run.cost} />
      </b>
    </span>
    {run.retry_of !== null && (
      <span>
        goes on with <Link href={runPath(run.retry_of)}>an earlier run</Link>
      </span>
    )}
    {run.replay_of !== null && (
      <span>
        replay of <Link href={runPath(run.replay_of)}>another run</Link>
        {run.drift !== null && run.drift > 0 && `, ${run.drift} calls the record has no result of`}
      </span>
    )}
  </>
);

/** What its model calls used. */
export function RunUsage({ of: { usage, cost } }: { readonly of: RunView }) {
  const counts: readonly (readonly [string, number | undefined])[] = [
    ['Input tokens', usage.input_tokens],
    ['of them cached', usage.cached_input_tokens],
    ['written to the cache', usage.cache_write_tokens],
    ['Output tokens', usage.output_tokens],
    ['of them reasoning', usage.reasoning_tokens],
    ['Model calls', usage.model_calls],
    ['Estimated calls', usage.estimated_calls || undefined],
    ['Calls without a price', usage.unpriced_calls || undefined],
  ];
  return (
    <dl class="figures">
      {counts.map(
        ([name, of]) =>
          of !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Count of={of} />
              </dd>
            </div>
          ),
      )}
      <div>
        <dt>Cost</dt>
        <dd>
          <Money amount={cost} />
        </dd>
      </div>
    </dl>
  );
}

const WARNINGS = 10;

/** Why it failed, and what it had to do without. */
export function RunTrouble({ of: { error, warnings } }: { readonly of: RunView }) {
  if (error === null && warnings.length === 0) return null;
  return (
    <div class="trouble">
      {error !== null && (
        <div class="failure">
          <p>
            <b>{capitalised(error.code)}</b> <Bdi text={error.message} />
          </p>
          <p class="meta">
            {error.retryable ? 'It may go well when it is tried again.' : 'Trying again will not help.'}
          </p>
        </div>
      )}
      {warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {warnings.slice(0, WARNINGS).map(({ code, reason, server }) => (
            <li key={code + reason}>
              <b>{capitalised(code)}</b> {server !== undefined && <Said text={server} />}{' '}
              <Said text={reason} />
            </li>
          ))}
          {warnings.length > WARNINGS && <li>{`and ${warnings.length - WARNINGS} more, in the log`}</li>}
        </ul>
      )}
    </div>
  );
}
