import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { asProblem } from '../api/problem.js';
import { Button } from '../parts/controls.js';
import { size } from '../parts/format.js';
import type { Text, Unloaded } from './items.js';
import { bytesOf, shorten } from './shorten.js';
import { visible } from './visible.js';

/** Is told of each text that was fetched: of which session's event it is. A page that looks into texts keeps them. */
export const TextRead = createContext<(session: string, event: number, content: string) => void>(
  () => undefined,
);

/** Texts are fetched by themselves up to here: at once, and when they come into sight. */
const AT_ONCE_BYTES = 262_144;
const BY_ITSELF_BYTES = 4_000_000;

interface TextViewProps {
  readonly session: string;
  readonly text: Text;
  /** How the shown part is drawn. */
  readonly draw: (text: string) => ComponentChildren;
  /** What of the content of an event is its text; absent: all of it. */
  readonly read?: (content: string) => string;
}

/** A text: its first 20,000 characters or 400 lines, then a button for the rest. What is not in the page yet is fetched. */
export function TextView({ session, text, draw, read = (content) => content }: TextViewProps) {
  const { whole, missing, take } = useLoaded(text, read);
  const [isAll, setAll] = useState(false);
  const { text: beginning, left } = shorten(whole);
  return (
    <>
      {whole !== '' && draw(beginning)}
      {isAll && left > 0 && <Rest text={whole.slice(beginning.length)} />}
      {left > 0 && !isAll && (
        <Button small kind="ghost" onClick={() => setAll(true)}>
          {`Show all (${size(bytesOf(whole))})`}
        </Button>
      )}
      {missing !== null && (
        <Fetched session={session} piece={missing} onText={take} onAll={() => setAll(true)} />
      )}
    </>
  );
}

/** What is behind the first part of a text, as it was written. Lines of any length wrap. */
const Rest = ({ text }: { readonly text: string }) => (
  <p class="plain" dir="auto">
    {visible(text)}
  </p>
);

interface Loaded {
  readonly whole: string;
  /** The first piece that is not there. */
  readonly missing: Unloaded | null;
  readonly take: (content: string) => void;
}

/** The text up to the first piece that is missing, and all of it when each is there. */
function useLoaded(text: Text, read: (content: string) => string): Loaded {
  const [contents, setContents] = useState<ReadonlyMap<number, string>>(new Map());
  let whole = '';
  let missing: Unloaded | null = null;
  for (const piece of text) {
    const part = typeof piece === 'string' ? piece : contents.get(piece.event);
    if (part !== undefined) whole += part;
    else {
      missing = piece as Unloaded;
      break;
    }
  }
  const take = (content: string): void => {
    if (missing === null) return;
    const { event } = missing;
    setContents((before) => new Map([...before, [event, read(content)]]));
  };
  return { whole, missing, take };
}

interface FetchedProps {
  readonly session: string;
  readonly piece: Unloaded;
  readonly onText: (content: string) => void;
  /** Somebody asks for all of it, before there is any. */
  readonly onAll: () => void;
}

/** Fetches a text when it comes into sight; a very large one when it is asked for. */
function Fetched({ session, piece, onText, onAll }: FetchedProps) {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<{ readonly isLoading: boolean; readonly problem: string }>({
    isLoading: false,
    problem: '',
  });
  const noteRead = useContext(TextRead);
  const load = (): void => {
    setState({ isLoading: true, problem: '' });
    const of = piece.session ?? session;
    api
      .get<{ readonly content: string | null }>(`/sessions/${encodeURIComponent(of)}/log/${piece.event}`)
      .then(({ content }) => {
        noteRead(of, piece.event, content ?? '');
        onText(content ?? '');
      })
      .catch((error: unknown) => setState({ isLoading: false, problem: asProblem(error).detail }));
  };
  useEffect(() => {
    if (piece.bytes <= AT_ONCE_BYTES) return load();
    if (piece.bytes > BY_ITSELF_BYTES || place.current === null) return;
    const watch = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return;
      watch.disconnect();
      load();
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [session, piece.event]);
  return (
    <div ref={place} class="fetched" aria-busy={state.isLoading}>
      {state.problem !== '' && <span class="meta">{state.problem}</span>}
      <Button
        small
        kind="ghost"
        onClick={() => {
          onAll();
          load();
        }}
      >
        {`Show all (${size(piece.bytes)})`}
      </Button>
    </div>
  );
}
