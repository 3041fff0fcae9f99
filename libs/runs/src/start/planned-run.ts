import type { EventMeta } from '#event-log';
import type { Clock } from '#platform';
import { planSchedules } from '../tasks/plan-schedules.js';
import type { StartRun } from './start-run-request.js';

/** A command with its schedules, which are planned when they are first asked for, and never again. */
export interface PlannedRun extends StartRun {
  /** @throws Problem */
  readonly plan: () => ReturnType<typeof planSchedules>;
}

/** A time that has come between the check and the append is no other time. */
export function planOnce(command: StartRun, clock: Clock): PlannedRun {
  let planned: ReturnType<typeof planSchedules> | null = null;
  return { ...command, plan: () => (planned ??= planSchedules(command.schedules ?? [], clock.now())) };
}

export function metaOf({ project, actor, correlationId, traceparent }: StartRun): EventMeta {
  return {
    schemaVersion: 1,
    project,
    actor,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
