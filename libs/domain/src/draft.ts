import type { RunId } from './ids.js';
import type { SessionEvent } from './session-events.js';

/** An event that is decided but not yet written; `run` goes into its envelope. */
export type Draft = SessionEvent & { readonly run?: RunId };
