import { type LinePlace, type RecordedSessionEvent, type SessionId, parsePlace } from '#domain';
import type { LineEvent } from './session-line.js';

/** Up to where a compaction stands for what was said. */
interface Reached extends LinePlace {
  readonly session: SessionId;
  isPassed: boolean;
}

/**
 * Says how far back a line has to be read to know a context: to the newest compaction, so a session's ten-thousandth run costs
 * what its tenth did; and on to where the run began that was under way at the place, whose message it may have kept. Where
 * there is none, so far as there is room for.
 */
export class ContextReach {
  private newest: Reached | null = null;
  private chars = 0;

  /** @param maxChars of the events that are kept, where nothing was compacted */
  constructor(private readonly maxChars: number) {}

  /** Takes the next event, backwards. Returns whether it is enough. */
  take(part: LineEvent): boolean {
    const { event } = part;
    if (event === null) return false;
    if (isTold(event)) this.chars += part.chars;
    this.newest ??= reachedBy(event, part.session);
    const { newest } = this;
    if (newest !== null)
      newest.isPassed ||= part.session === newest.session && part.revision <= newest.revision;
    if (!isFirstClaim(event)) return false;
    return newest === null ? this.chars > this.maxChars : newest.isPassed;
  }
}

/** null: it is no compaction, or says nothing that can be read. */
function reachedBy(event: RecordedSessionEvent, own: SessionId): Reached | null {
  if (event.type !== 'agent_compacted' || event.isUnreadable) return null;
  const through = parsePlace(event.data.through);
  return through === null ? null : { ...through, session: through.session ?? own, isPassed: false };
}

/** One that comes later, or of a run that takes up another, stands in the middle of what a run is told. */
export const isFirstClaim = (event: RecordedSessionEvent): boolean =>
  event.type === 'run_claimed' && !event.isUnreadable && event.data.epoch === 1 && !event.data.isRetry;

/** Whether it matters to what a model is told: what is not is not kept while a line is read. */
export const isTold = (event: RecordedSessionEvent): boolean =>
  !UNTOLD.has(event.type) && !(event.type === 'model_turn_completed' && event.data.step !== undefined);

const UNTOLD: ReadonlySet<string> = new Set<RecordedSessionEvent['type']>([
  'agent_thinking_start',
  'agent_thinking',
  'agent_response_start',
  'agent_tool_use_start',
  'agent_tool_use',
  'agent_tool_response',
  'agent_workflow_step',
  'agent_final_output',
  'agent_warning',
  'tools_offered',
  'workflow_attempt_started',
  'workflow_attempt_failed',
  'workflow_step_completed',
  'workflow_tool_responded',
]);
