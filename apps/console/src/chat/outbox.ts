import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { type ApiProblem, asProblem } from '../api/problem.js';

/** A message that was accepted. */
export interface Accepted {
  readonly session: string;
  readonly run_id: string;
  readonly status: string;
}

interface Message {
  /** Made when the text was entered: whatever is sent under it counts once. */
  readonly key: string;
  readonly path: string;
  /** JSON text. */
  readonly body: string;
}

const WAITS_MS = [500, 1000, 2000, 5000] as const;

/** 32 hex digits; made of the generator that is there without https, too. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export interface Outbox {
  readonly isSending: boolean;
  /** Why it was not taken; while it is sent again by itself, why it has to be. */
  readonly problem: ApiProblem | null;
  /** It is sent again by itself. */
  readonly isRetrying: boolean;
  send(key: string, session: string | null, body: object): void;
  /** Whether this is what is under way or was cut: the same key may be used for it. */
  forget(): void;
}

/**
 * Sends one message at a time. One whose answer did not come is sent again under its key until there is an answer, so it is
 * sent at least once and counts once.
 */
export function useOutbox(onAccepted: (accepted: Accepted, message: string) => void): Outbox {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isSending, setSending] = useState(false);
  const [isRetrying, setRetrying] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const done = useRef(onAccepted);
  done.current = onAccepted;
  useEffect(() => () => abort.current?.abort(), []);

  const run = async (message: Message, signal: AbortSignal): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      const failed = await post(message, signal)
        .then((accepted) => {
          setProblem(null);
          done.current(accepted, message.body);
          return null;
        })
        .catch((error: unknown) => asProblem(error));
      if (signal.aborted || failed === null) return;
      setProblem(failed);
      const isPassing = failed.status === 0 || failed.status === 429 || failed.status === 503;
      setRetrying(isPassing);
      if (!isPassing) return;
      const wait = WAITS_MS[Math.min(tries, WAITS_MS.length - 1)] ?? 5000;
      await pause(Math.max(wait, (failed.retryAfterS ?? 0) * 1000), signal);
      if (signal.aborted) return;
    }
  };
  return {
    isSending,
    problem,
    isRetrying,
    send: (key, session, body) => {
      abort.current?.abort();
      const { signal } = (abort.current = new AbortController());
      setSending(true);
      setProblem(null);
      const path = session === null ? '/' : `/?session=${encodeURIComponent(session)}`;
      void run({ key, path, body: JSON.stringify(body) }, signal).finally(() => {
        if (signal.aborted) return;
        setSending(false);
        setRetrying(false);
      });
    },
    forget: () => {
      abort.current?.abort();
      setSending(false);
      setRetrying(false);
      setProblem(null);
    },
  };
}

const post = ({ key, path, body }: Message, signal: AbortSignal): Promise<Accepted> =>
  api.post<Accepted>(path, JSON.parse(body), { signal, headers: { 'Idempotency-Key': key } });

/** Over when the time is, or the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    window.addEventListener('online', over);
    signal.addEventListener('abort', over, { once: true });
  });
}
