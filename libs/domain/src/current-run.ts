import type { Waiting } from './actions/waiting-run.js';
import type { Revision, RunId } from './ids.js';
import type { PicoDollars } from './money/dollars.js';

/** The run of a session that is under way, or waits for somebody. */
export interface CurrentRun extends Waiting {
  readonly run: RunId;
  readonly requested: Revision;
  readonly worker: string;
  readonly epoch: number;
  /** Revision of its latest claim. */
  readonly claimed: Revision;
  readonly isCancelRequested: boolean;
  /** Of its finished turns. */
  readonly cost: PicoDollars;
  /** Claims in a row, the latest included, under which nothing has been written yet. */
  readonly silent: number;
  /** The same of what the run is further by: a turn that broke is asked again from its start. */
  readonly fruitless: number;
  /** It had no turn of its own, or the session was cleared since its start: nobody can go on with it. */
  readonly isClosed?: true;
  /** It ends when an action expires: nobody would read what it says then. */
  readonly endsUnheard?: true;
}
