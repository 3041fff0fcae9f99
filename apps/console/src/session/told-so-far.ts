import type { Told } from './rows.js';

/** What callbacks were told of a session, in the order of its times. */
export interface ToldSoFar {
  readonly told: readonly Told[];
  /** There are older ones, which were not read. */
  readonly isCut: boolean;
}
