import { useEffect, useState } from 'preact/hooks';
import { Bdi } from '../conversation/bdi.js';
import { type KeptFiles, type Verdict, verifyBlob } from '#proof/browser';
import { PageHead } from '../parts/page-head.js';
import { Switch } from '../parts/controls.js';
import { TextField } from '../parts/form.js';
import { CanLie } from '../proof/can-lie.js';
import { FileField } from '../proof/file-field.js';
import { VerdictView } from '../proof/verdict-view.js';

const NOTHING_KEPT: KeptFiles = { policy: null, receipts: [], asOf: '', isStrict: false };

/** How far an export can be believed: the same that `annals verify` says, of a file that stays on this machine. */
export default function Page() {
  const [file, setFile] = useState<File | null>(null);
  const [kept, setKept] = useState(NOTHING_KEPT);
  const { verdict, read } = useVerdict(file, kept);
  const isOver = useDrop(setFile);
  const change = (part: Partial<KeptFiles>): void => setKept((before) => ({ ...before, ...part }));
  return (
    <div class="page">
      <PageHead title="Verify" />
      <p class="lead">
        How far an export of a session can be believed. The file stays on this machine: it is read here, by
        the code of <code>annals verify</code>.
      </p>
      <form class={isOver ? 'verify over' : 'verify'} onSubmit={(event) => event.preventDefault()}>
        <FileField
          label="Export file"
          hint="*.annals.jsonl: choose one, or drop it anywhere on this page"
          onChange={([chosen = null]) => setFile(chosen)}
        />
        <FileField
          label="Policy"
          hint="Whom you believe: your first copy of /proof/keys"
          onChange={([policy = null]) => change({ policy })}
        />
        <FileField
          label="Receipts"
          hint="Those that you kept"
          multiple
          onChange={(receipts) => change({ receipts })}
        />
        <TextField
          label="Seen by witnesses since"
          hint="ISO 8601, may stay empty"
          maxLength={40}
          value={kept.asOf}
          onChange={(asOf) => change({ asOf })}
        />
        <Switch label="Warnings count" on={kept.isStrict} onChange={(isStrict) => change({ isStrict })} />
      </form>
      <Progress file={file} read={read} isDone={verdict !== null} />
      <section
        role="status"
        aria-label="Verdict"
        aria-busy={file !== null && verdict === null}
        class={verdict === null ? undefined : 'verdict-box'}
      >
        {verdict !== null && <VerdictView of={verdict} />}
      </section>
      <CanLie />
    </div>
  );
}

interface ProgressProps {
  readonly file: File | null;
  readonly read: number;
  readonly isDone: boolean;
}

function Progress({ file, read, isDone }: ProgressProps) {
  if (file === null) return null;
  return (
    <p class="meta verify-progress">
      <Bdi text={file.name} />
      {!isDone && <progress aria-label="Read" max={Math.max(file.size, 1)} value={read} />}
    </p>
  );
}

/** Painting each piece would take longer than reading it. */
const PAINT_MS = 100;

/** The verdict of what is chosen now: an answer to an older question is dropped. */
function useVerdict(
  file: File | null,
  kept: KeptFiles,
): { readonly verdict: Verdict | null; readonly read: number } {
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [read, setRead] = useState(0);
  useEffect(() => {
    setVerdict(null);
    setRead(0);
    if (file === null) return;
    let isWanted = true;
    let painted = performance.now();
    void verifyBlob(file, kept, (bytes) => {
      const now = performance.now();
      if (isWanted && now - painted > PAINT_MS) {
        painted = now;
        setRead(bytes);
      }
      return isWanted;
    }).then((found) => {
      if (isWanted) setVerdict(found);
    });
    return () => {
      isWanted = false;
    };
  }, [file, kept]);
  return { verdict, read };
}

/** Takes a file that is dropped anywhere: whoever misses the field does not leave the page. @returns whether one is held over it */
function useDrop(take: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const ended = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', isNow: boolean): void =>
      document.addEventListener(
        type,
        (event) => {
          event.preventDefault();
          setOver(isNow);
          const file = type === 'drop' ? event.dataTransfer?.files[0] : undefined;
          if (file !== undefined) take(file);
        },
        { signal: ended.signal },
      );
    on('dragover', true);
    on('dragleave', false);
    on('drop', false);
    return () => ended.abort();
  }, []);
  return isOver;
}
