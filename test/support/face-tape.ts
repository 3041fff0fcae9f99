import { type Draft } from '#domain';
import { RunFace, type StreamEvent, responseOf } from '#openai-face';
import { SessionTape, opened } from './session-tape.js';

/** The run of these helpers. */
export const RUN = 'run_ses_1_a';

/** The run of a tape as responses, and the streams of its passages. */
export function faceOf(tape: SessionTape): { face: RunFace; streams: StreamEvent[][] } {
  const streams: StreamEvent[][] = [];
  const face = new RunFace('ses_1', (passage) => {
    streams[passage - 1] = [];
    return (event) => void streams[passage - 1]?.push(event);
  });
  for (const event of tape.events) if (event.meta.run === RUN) face.push(event);
  return { face, streams };
}

export const begun = (...drafts: readonly Draft[]): SessionTape =>
  new SessionTape().add(undefined, opened).addRun(RUN, 'hi', ...drafts);

/** Without `response.` in front. */
export const typesOf = (stream: readonly StreamEvent[] | undefined): string[] =>
  (stream ?? []).map(({ type }) => type.slice('response.'.length));
/** A passage's response. */
export const shown = (face: RunFace, passage = 1) =>
  responseOf(face.passages[passage - 1]!) as Record<string, unknown>;
