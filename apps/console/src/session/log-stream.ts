import { callApi } from '../api/client.js';
import { Turns } from '../parts/turns.js';
import { MessageReader, SILENT_AFTER_MS, type StreamMessage } from './stream.js';

interface Follow {
  readonly session: string;
  /** The last event that is known; -1: none. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** @param head revision of the session's last event when the answer began */
  readonly onOpen: (head: number) => void;
  /** @returns whether it goes on */
  readonly onMessage: (message: StreamMessage) => boolean;
}

/**
 * One answer of `GET /sessions/{s}/log`, from its first byte to its end. Resolves when it ends, is silent for too long, or
 * `onMessage` has enough. @throws ApiProblem; a DOMException where `signal` aborts
 */
export async function followLog({ session, after, signal, onOpen, onMessage }: Follow): Promise<void> {
  const lost = new AbortController();
  const answer = await callApi(`/sessions/${encodeURIComponent(session)}/log?inline=262144`, {
    headers: { accept: 'text/event-stream', ...(after < 0 ? {} : { 'last-event-id': String(after) }) },
    signal: AbortSignal.any([signal, lost.signal]),
  });
  onOpen(Number(answer.headers.get('annals-head') ?? -1));
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const messages = new MessageReader();
  let timer = setTimeout(() => lost.abort(), SILENT_AFTER_MS);
  const turns = new Turns();
  try {
    for (;;) {
      const { done, value = '' } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      timer = setTimeout(() => lost.abort(), SILENT_AFTER_MS);
      for (const message of messages.push(value)) {
        if (!onMessage(message)) return;
        if (turns.isOver) await turns.next();
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // It broke off, or was silent: whoever asked takes it up again.
  } finally {
    clearTimeout(timer);
    lost.abort();
  }
}
