import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { ApiProblem, asProblem } from '../api/problem.js';
import { Json } from '../conversation/json-view.js';
import { shorten } from '../conversation/shorten.js';
import { Failure } from '../parts/region.js';
import type { Decidable } from './decidable.js';
import { type WholeEvent, logPath, runLines } from './run-lines.js';

interface GivenAnswerProps {
  readonly action: Decidable;
  /** It is read at once; otherwise when somebody wants to know. */
  readonly isOpen: boolean;
}

/** What an action was answered with: the interface tells that it was, the log what. */
export function GivenAnswer({ action, isOpen: isFirst }: GivenAnswerProps) {
  const [isOpen, setOpen] = useState(isFirst);
  const [answer, setAnswer] = useState<string | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  useEffect(() => {
    if (!isOpen || answer !== null) return;
    const abort = new AbortController();
    readAnswer(action, abort.signal)
      .then((read) => setAnswer(read ?? NOT_FOUND))
      .catch((error: unknown) => abort.signal.aborted || setProblem(asProblem(error)));
    return () => abort.abort();
  }, [isOpen, action.id]);
  const { text, left } = shorten(answer ?? '');
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="meta">What was answered</summary>
      {problem !== null && <Failure problem={problem} />}
      {answer !== null && <Json text={text} />}
      {left > 0 && <p class="meta">{`and ${left} characters more, in the event itself`}</p>}
    </details>
  );
}

const NOT_FOUND = 'The log of its session has it.';

/** The answer stands directly behind the decision that brought it. null: it was not found. */
async function readAnswer(action: Decidable, signal: AbortSignal): Promise<string | null> {
  for await (const { type, time, revision } of runLines(action, signal)) {
    if (type !== 'agent_action_resolved' || time !== action.decidedAt) continue;
    const path = `${logPath(action.session)}/${revision + 1}`;
    const { text = '{}', content } = await api.get<WholeEvent>(path, { signal });
    if ((JSON.parse(text) as { readonly action?: unknown }).action === action.id) return content;
  }
  return null;
}
