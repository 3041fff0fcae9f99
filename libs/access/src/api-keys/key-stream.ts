import { type ApiKeyEvent, type ProjectId, apiKeyStream } from '#domain';
import { type AppendResult, type EventLog, type Expected, appendUntilDefinite, newEvent } from '#event-log';
import type { Clock, Random } from '#platform';

export interface KeyStreamPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
}

interface KeyAppend {
  readonly expected: Expected;
  /** Who causes it. */
  readonly actor: string;
  /** ms since 1970; absent: now. */
  readonly time?: number;
}

/** Writes to the stream of a key, until it is known whether it is written. @throws LogUnavailable */
export function appendToKey(
  { log, clock, random }: KeyStreamPorts,
  { id, project }: { readonly id: string; readonly project: ProjectId },
  events: readonly ApiKeyEvent[],
  { expected, actor, time = clock.now() }: KeyAppend,
): Promise<AppendResult> {
  const meta = { schemaVersion: 1, project, actor };
  const made = events.map(({ type, data }: { readonly type: string; readonly data: object }) =>
    newEvent({ id: random.uuid(), time, type, data }, meta),
  );
  return appendUntilDefinite(log, clock, random, apiKeyStream(id), made, { expected });
}
