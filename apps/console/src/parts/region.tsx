import type { ComponentChildren } from 'preact';
import { Bdi } from '../conversation/bdi.js';
import { useEffect, useState } from 'preact/hooks';
import type { ApiProblem } from '../api/problem.js';
import type { Polled } from '../api/polled.js';
import { Button, Copy } from './controls.js';
import { duration } from './format.js';

/** Nothing moves for what is there within so long. */
const BARS_AFTER_MS = 150;

interface RegionProps {
  /** What it holds, for those who do not see it. */
  readonly name: string;
  readonly polled: Pick<
    Polled<unknown>,
    'data' | 'problem' | 'loading' | 'staleForS' | 'retryInS' | 'refresh'
  >;
  /** What stands here when nothing is there; null: something is. */
  readonly empty?: ComponentChildren;
  readonly rows?: number;
  readonly children: ComponentChildren;
}

/** A part of a page that is filled from the service: it loads, is empty, fails and ages by itself, and the rest lives on. */
export function Region({ name, polled, empty = null, rows = 6, children }: RegionProps) {
  const { data, problem, loading, staleForS, retryInS, refresh } = polled;
  const isFirst = data === null && loading && problem === null;
  return (
    <section class="region" aria-label={name} aria-busy={isFirst}>
      {problem !== null && <Failure problem={problem} retryInS={retryInS} onRetry={refresh} />}
      {staleForS !== null && <p class="stale">{`What is shown is ${duration(staleForS * 1000)} old.`}</p>}
      {isFirst && <Bars rows={rows} />}
      {data !== null && (empty ?? children)}
    </section>
  );
}

export function Bars({ rows }: { readonly rows: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), BARS_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="bars" aria-hidden="true">
      {isShown && Array.from({ length: rows }, (_, i) => <div key={i} />)}
    </div>
  );
}

interface FailureProps {
  readonly problem: ApiProblem;
  readonly retryInS?: number | null;
  readonly onRetry?: () => void;
}

/** What went wrong, in the service's words. */
export function Failure({ problem, retryInS = null, onRetry }: FailureProps) {
  return (
    <div class="failure" role="alert">
      <p>
        <b>{problem.title}</b> <Bdi text={problem.detail} />
        {problem.detail.endsWith('does not exist') && ', or it belongs to another project.'}
      </p>
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div class="failure-do">
        {onRetry !== undefined && (
          <Button small icon="retry" onClick={onRetry}>
            Try again
          </Button>
        )}
        {retryInS !== null && <span class="meta" aria-live="off">{`by itself in ${retryInS} s`}</span>}
        {problem.requestId !== null && (
          <span class="meta request">
            <code>{problem.requestId}</code>
            <Copy text={problem.requestId} label="Copy the request id" kind="ghost" />
          </span>
        )}
      </div>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly sentence: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** What would be here, one sentence, one action. */
export const Empty = ({ title, sentence, children }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{sentence}</p>
    {children}
  </div>
);

/** At the end of a list, while there is more. */
export const LoadMore = ({
  more,
  loading,
}: {
  readonly more: (() => void) | null;
  readonly loading: boolean;
}) =>
  more === null ? null : (
    <div class="more-rows">
      <Button onClick={more} idle={loading}>
        Load more
      </Button>
    </div>
  );
