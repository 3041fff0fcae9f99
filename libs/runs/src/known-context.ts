import { ContextFold, type Revision, type SessionId } from '#domain';
import { NO_EVENTS } from '#event-log';
import type { LoadedContext } from './load-session.js';

type Context = Pick<LoadedContext, 'fold' | 'origins'>;

/** What the model was told of a session's runs that have ended. Owns it from the end of one run to the begin of the next. */
export class KnownContext {
  /** null: not known here, to be read from the log. */
  private kept: Context | null;
  private lastClear = NO_EVENTS;
  /** A session was erased since a run took the context. */
  private hasErasure = false;

  constructor(session: SessionId, isNew: boolean) {
    this.kept = isNew ? { fold: new ContextFold(), origins: new Set([session]) } : null;
  }

  /** For a run, which changes it. */
  take(): Context | null {
    const { kept } = this;
    this.kept = null;
    this.hasErasure = false;
    return kept;
  }

  /** After a run that was claimed at the revision. Of a clear before a take-over only the log knows. */
  keep(context: Context, claimed: Revision): void {
    const isWhole = context.origins.size === 1 || !this.hasErasure;
    if (this.lastClear < claimed && isWhole) this.kept = context;
  }

  forget(): void {
    this.kept = null;
  }

  /** The next run begins with nothing. */
  clear(at: Revision): void {
    this.kept = null;
    this.lastClear = at;
  }

  /** What was said in another session, which is erased, is no part of the context of a fork any more. */
  forgetOrigin(session: SessionId): void {
    this.hasErasure = true;
    if (this.kept?.origins.has(session)) this.kept = null;
  }
}
