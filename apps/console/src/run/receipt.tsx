import type { ApiProblem } from '../api/problem.js';
import { usePolled } from '../api/polled.js';
import type { RunView } from '../api/types.js';
import { segment } from '../lists/path.js';
import { Button, Copy, CopyCurl } from '../parts/controls.js';
import { download } from '../parts/download.js';
import { Failure } from '../parts/region.js';
import { hasEnded } from './run-actions.js';

/** The signed note of how the run ended, which whoever got its answer may keep. */
export function Receipt({ of: run }: { readonly of: RunView }) {
  const path = `/runs/${segment(run.run_id)}/receipt`;
  const isOver = hasEnded(run);
  const { data, problem, refresh } = usePolled<string>(isOver ? path : null);
  const words = isOver ? (problem === null ? null : wordsOf(problem)) : NOT_YET;
  return (
    <section aria-label="Receipt" aria-busy={isOver && data === null && problem === null}>
      <h2>Receipt</h2>
      <p class="meta">
        That the run ended as it did, signed. Keep it: an export that says otherwise fails against it, whoever
        made that.
      </p>
      {data !== null && <Note of={run.run_id} path={path} text={data} />}
      {words !== null && <p class="lead">{words}</p>}
      {problem !== null && words === null && <Failure problem={problem} onRetry={refresh} />}
    </section>
  );
}

const NOT_YET = 'There is none before the run has ended.';

/** What is to be expected, in words; null: it is a fault. */
function wordsOf({ status, code }: ApiProblem): string | null {
  if (code === 'sealing_stopped')
    return 'Nothing is signed: sealing has stopped, because the log is not the one that was signed before. The page System and the service’s own log say why.';
  if (status === 404) return 'There is none any more: the session was erased.';
  return status === 409 ? NOT_YET : null;
}

interface NoteProps {
  readonly of: string;
  readonly path: string;
  readonly text: string;
}

const Note = ({ of, path, text }: NoteProps) => (
  <>
    <pre class="note-text" dir="auto" tabIndex={0} aria-label="Receipt, a signed note">
      {text}
    </pre>
    <div class="do">
      <Copy text={text}>Copy receipt</Copy>
      <Button
        small
        icon="down"
        onClick={() => download(`${of}.receipt.txt`, new Blob([text], { type: 'text/plain' }))}
      >
        Download receipt
      </Button>
      <CopyCurl call={{ path }} />
    </div>
  </>
);
