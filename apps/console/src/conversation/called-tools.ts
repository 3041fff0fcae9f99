import { type Content, OUTCOME_UNKNOWN, type RecordedSessionEvent, type TurnToolCall } from '#domain/browser';

/** A call as a turn asked for it, and what is known of it. Changed in place by its owner alone. */
export interface CalledTool {
  /** null: the turn that it is of is not loaded. */
  readonly id: string | null;
  /** Somebody has to release it, or to carry it out. */
  readonly needs: boolean;
  readonly step: string | null;
  /** Its `agent_tool_use` was seen. */
  isShown: boolean;
  /** No result will come any more. */
  isOver: boolean;
  result: Content | null;
  isError: boolean;
  /** ms since 1970, of its result. */
  at: number | null;
}

type DataOf<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>['data'];

/**
 * Which result is of which call: calls of a run's latest turn, and of the latest turn of each of its workflow steps. Of runs
 * that ended it keeps the last: no other can be gone on with.
 */
export class CalledTools {
  private readonly turns = new Map<string, Map<string, CalledTool[]>>();
  /** Calls whose uses come next. */
  private latest: CalledTool[] = [];
  private lastEnded: string | null = null;

  /** A run that goes on with another one makes that one's open calls. */
  retry(run: string, of: string): void {
    const calls = this.turns.get(of)?.get(MAIN);
    if (calls === undefined) return;
    this.set(run, MAIN, calls);
    for (const call of calls) if (call.result === null) call.isOver = false;
  }

  turn(run: string, data: DataOf<'model_turn_completed'>): void {
    const { step, tool_calls: calls = [], final_output: isFinal } = data;
    if (isFinal) return;
    this.latest = calls.map((call) => called(call, step?.step_id ?? null));
    this.set(run, placeOf(step), this.latest);
  }

  /** The call that this use shows. */
  use(run: string): CalledTool {
    const next = this.latest.find(({ isShown }) => !isShown) ?? this.unknown(run);
    next.isShown = true;
    return next;
  }

  result(run: string, data: DataOf<'tool_call_completed'>, time: number): void {
    const calls = this.turns.get(run)?.get(placeOf(data.step));
    const call = calls?.find(({ id }) => id === data.call_id);
    if (call !== undefined) take(call, data.content, data.is_error === true, time);
  }

  /** Responses stand in the order of the calls; where the turn is known each follows its result. */
  response(run: string, content: Content, time: number): void {
    const calls = this.turns.get(run)?.get(MAIN);
    const call = calls?.find(({ id, result }) => id === null && result === null);
    if (call !== undefined) take(call, content, false, time);
  }

  end(run: string): void {
    for (const calls of this.turns.get(run)?.values() ?? []) for (const call of calls) call.isOver = true;
    if (this.lastEnded !== null && this.lastEnded !== run) this.turns.delete(this.lastEnded);
    this.lastEnded = run;
  }

  private unknown(run: string): CalledTool {
    const call = { ...called({ id: '', name: '', arguments: '' }, null), id: null };
    if (this.turns.get(run)?.get(MAIN) !== this.latest) this.set(run, MAIN, (this.latest = []));
    this.latest.push(call);
    return call;
  }

  private set(run: string, place: string, calls: CalledTool[]): void {
    const places = this.turns.get(run) ?? new Map<string, CalledTool[]>();
    places.set(place, calls);
    this.turns.set(run, places);
  }
}

export const isUnknown = ({ result }: CalledTool): boolean =>
  typeof result === 'string' && result.startsWith(OUTCOME_UNKNOWN);

/** The main agent's place among those that take turns. */
const MAIN = '';

const placeOf = (step?: { readonly call_id: string; readonly step_id: string }): string =>
  step === undefined ? MAIN : `${step.call_id}\n${step.step_id}`;

const called = ({ id, needs }: TurnToolCall, step: string | null): CalledTool => ({
  id,
  needs: needs !== undefined,
  step,
  isShown: false,
  isOver: false,
  result: null,
  isError: false,
  at: null,
});

function take(call: CalledTool, result: Content, isError: boolean, at: number): void {
  Object.assign(call, { result, isError, at });
}
