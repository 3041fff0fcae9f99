import { type LinePlace, type RecordedSessionEvent, type RunId, type SessionId, parsePlace } from '#domain';
import type { LineEvent } from './session-line.js';

/** A compaction: what is told instead of all up to an event, but for the message of a run. */
interface Reached {
  readonly session: SessionId;
  readonly through: LinePlace;
  /** Whose message stays: of the run, or of the one that it goes on with. */
  holder: RunId | undefined;
  /** The run goes on with another one: its request says with which. */
  isRetry: boolean;
  hasMessage: boolean;
  isPassed: boolean;
}

/**
 * Says how far back a line has to be read to know a context: to the newest compaction, so a session's ten-thousandth run costs
 * what its tenth did. Where there is none, so far as there is room for.
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
    if (this.newest === null) this.begin(part, event);
    else this.goOn(this.newest, part, event);
    if (!isFirstClaim(event)) return false;
    const { newest } = this;
    return newest === null ? this.chars > this.maxChars : newest.isPassed && newest.hasMessage;
  }

  private begin({ session }: LineEvent, event: RecordedSessionEvent): void {
    if (event.type !== 'agent_compacted' || event.isUnreadable) return;
    const through = parsePlace(event.data.through);
    if (through === null) return;
    const state = { isRetry: false, hasMessage: false, isPassed: false };
    this.newest = { session: through.session ?? session, through, holder: event.meta.run, ...state };
  }

  private goOn(reached: Reached, part: LineEvent, event: RecordedSessionEvent): void {
    reached.isPassed ||= part.session === reached.session && part.revision <= reached.through.revision;
    if (event.meta.run !== reached.holder) return;
    if (event.type === 'run_claimed' && !event.isUnreadable && event.data.epoch === 1) {
      reached.isRetry = event.data.isRetry === true;
      reached.hasMessage = !reached.isRetry;
    }
    if (event.type === 'run_requested' && reached.isRetry) reached.holder = event.data.retry_of?.run;
  }
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
