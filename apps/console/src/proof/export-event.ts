import type { ExportEvent } from '#proof/browser';
import type { LogLine } from '../api/types.js';

/** An event as an export has it, fields in its order. A text that was not sent along is not disclosed. */
export function exportEvent(line: LogLine): ExportEvent {
  const { revision, id, type, time, schemaVersion, project, actor, run, causationId, correlationId } = line;
  const { commitment, prev, salt, text } = line;
  const named = { revision, id, type, time, schemaVersion, project, actor };
  const isDisclosed = salt !== undefined && text !== undefined;
  return {
    ...named,
    ...(run === undefined ? {} : { run }),
    ...(causationId === undefined ? {} : { causationId }),
    ...(correlationId === undefined ? {} : { correlationId }),
    commitment,
    prev,
    ...(isDisclosed ? { salt, text } : {}),
  };
}

const EVENT = /^\{"revision":(\d{1,15}),/;

/**
 * A line of an export, with the event that is on the screen in the place of its own: so what is proved is what is seen, texts
 * and all. @param shown the event of a revision; undefined: it is not there
 */
export function withShown(line: string, shown: (revision: number) => LogLine | undefined): string {
  const [, revision] = EVENT.exec(line) ?? [];
  const event = revision === undefined ? undefined : shown(Number(revision));
  return event === undefined ? line : JSON.stringify(exportEvent(event));
}
