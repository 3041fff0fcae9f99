import type { RunId } from '#domain';
import type { DriverPorts, Toolboxes } from '#agent';
import type { EventLog } from '#event-log';
import type { Background, Clock, Logger, Random } from '#platform';
import type { ContentStore } from '#vault';
import type { RunAdmission } from './admission.js';

export interface SessionPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly contents: ContentStore;
  readonly driver: DriverPorts;
  readonly toolboxes: Toolboxes;
  readonly admission: RunAdmission;
  /** Name of this replica, the same after a restart. */
  readonly replica: string;
  /** Replica and boot: no other process ever has the same. */
  readonly worker: string;
  /** Whether another replica is heard of. */
  readonly isAlive: (replica: string) => boolean;
  /** Told when a session may have nothing to do any more. */
  readonly rested: () => void;
}

/** @param by the worker that claimed the run, or, of one that waits, the replica that accepted it */
export type IsLeft = (run: RunId, by: string) => boolean;
