import { type Verdict, Verifier, isConfirmed, unusable } from '#proof/browser';
import { api, callApi } from '../api/client.js';
import { readLines } from '../api/lines.js';
import { ApiProblem } from '../api/problem.js';
import type { LogLine } from '../api/types.js';
import { withShown } from './export-event.js';

/** The keys of the service, as it tells them now; null: it tells none. @throws ApiProblem where that may pass */
export async function readKeys(signal: AbortSignal): Promise<string | null> {
  try {
    return await api.get<string>('/proof/keys', { signal });
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 403)) return null;
    throw error;
  }
}

interface Proving {
  readonly session: string;
  /** A tlog-policy; null: nobody is known. */
  readonly policy: string | null;
  /** The event of a revision that is on the screen. */
  readonly shown: (revision: number) => LogLine | undefined;
  readonly signal: AbortSignal;
}

/**
 * The verdict of `annals verify` over the events that are on the screen, under the proof of the session's export.
 * @throws ApiProblem where there is no proof, or it broke off; a DOMException where `signal` aborts
 */
export async function prove({ session, policy, shown, signal }: Proving): Promise<Verdict> {
  const answer = await callApi(`/sessions/${encodeURIComponent(session)}/export?disclose=none`, {
    headers: { accept: 'application/jsonl' },
    signal,
  });
  const verifier = new Verifier(policy === null ? {} : { policy: new TextEncoder().encode(policy) });
  const isBroken = await readLines(answer, signal, (line) => verifier.push(withShown(line, shown)));
  const verdict = verifier.end(isBroken);
  if (verdict.failures[0]?.code === 'cut_off') {
    throw new ApiProblem(0, 'cut_off', 'The proof broke off', 'The service did not send all of it.');
  }
  if (!(await isConfirmed())) {
    return unusable('form', "the browser's own Ed25519 says otherwise: take another browser");
  }
  // Texts of files do not come along, and those of events are the page's.
  const warnings = verdict.warnings.filter(({ code }) => code !== 'file');
  return { ...verdict, warnings, disclosed: 'what this page shows' };
}
