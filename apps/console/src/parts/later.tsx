import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Bars, Failure } from './region.js';
import { type ApiProblem, asProblem } from '../api/problem.js';

/**
 * A component that is fetched when it is shown for the first time. What most visitors never open does not weigh on those that
 * come for something else.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let known: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [problem, setProblem] = useState<ApiProblem | null>(null);
    const [, setLoaded] = useState(known !== null);
    const fetchIt = (): void => {
      setProblem(null);
      load()
        .then((component) => {
          known = component;
          setLoaded(true);
        })
        .catch((error: unknown) => setProblem(asProblem(error)));
    };
    useEffect(() => {
      if (known === null) fetchIt();
    }, []);
    if (problem !== null) return <Failure problem={problem} onRetry={fetchIt} />;
    const Known = known;
    return Known === null ? <Bars rows={4} /> : <Known {...props} />;
  };
}
