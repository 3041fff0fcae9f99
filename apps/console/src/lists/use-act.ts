import { useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/problem.js';
import { announce } from '../app/status.js';

export interface Act {
  /** What is under way now; null: nothing. */
  readonly busy: string | null;
  /** Why the last one was refused; null: it was not. */
  readonly problem: ApiProblem | null;
  /** Does one thing at a time, and says aloud what has come of it; `name` tells what is under way. */
  readonly run: (name: string, act: () => Promise<string | void>) => void;
  readonly forget: () => void;
}

/** Something that a page does on a press: one at a time, and a refusal is kept until the next one. */
export function useAct(): Act {
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const isBusy = useRef(false);
  const run = (name: string, act: () => Promise<string | void>): void => {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusy(name);
    setProblem(null);
    act()
      .then((said) => {
        if (typeof said === 'string') announce(said);
      })
      .catch((error: unknown) => setProblem(asProblem(error)))
      .finally(() => {
        isBusy.current = false;
        setBusy(null);
      });
  };
  return { busy, problem, run, forget: () => setProblem(null) };
}
