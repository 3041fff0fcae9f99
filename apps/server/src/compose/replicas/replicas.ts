import type { ReadModels } from '#read-models';
import type { Core } from '#runs';
import type { Part } from '#replicas';

export interface PartOptions {
  /** It accepts or starts runs: it ends before those under way are brought to a good place. */
  readonly beginsRuns?: boolean;
}

/** This process among those that work on the same log: alone, or one of several. */
export abstract class Replicas {
  /** What the runs that it accepts bear. */
  abstract readonly replica: string;
  /** Whether somebody else fills the tables when this process does not. */
  abstract readonly isShared: boolean;

  /** Whether it may claim runs now. */
  abstract mayClaim(): boolean;

  /** Whether another replica is heard of. */
  abstract isAlive(replica: string): boolean;

  /** What keeps it from its work, for an operator; null: nothing. */
  abstract problem(): string | null;

  /** Has a part of the service done: by this process, or by one replica at a time. `open` makes it anew for each term. */
  abstract add(name: string, open: (fence: number) => Part, options?: PartOptions): void;

  /** A part that cannot go on here is left to the other replicas. */
  abstract giveUp(name: string): void;

  /** Goes on with the runs that others have left. */
  abstract begin(core: Core, readModels: ReadModels): void;

  /** Begins nothing more; what can be done by another replica is left to it. */
  abstract retire(graceMs: number): Promise<void>;

  /** Ends the parts that are left, when no run is driven any more. */
  abstract end(graceMs: number): Promise<void>;
}
