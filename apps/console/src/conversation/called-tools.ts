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

/** Which result is of which call: calls of a run's latest turn, and of the latest turn of each of its workflow steps. */
export class CalledTools {
  private readonly turns = new Map<string, CalledTool[]>();
  /** Calls whose uses come next. */
  private latest: CalledTool[] = [];

  /** A run that goes on with another one makes that one's open calls. */
  retry(run: string, of: string): void {
    const calls = this.turns.get(of);
    if (calls === undefined) return;
    this.turns.set(run, calls);
    for (const call of calls) if (call.result === null) call.isOver = false;
  }

  turn(run: string, data: DataOf<'model_turn_completed'>): void {
    const { step, tool_calls: calls = [], final_output: isFinal } = data;
    if (isFinal) return;
    this.latest = calls.map((call) => called(call, step?.step_id ?? null));
    this.turns.set(placeOf(run, step), this.latest);
  }

  /** The call that this use shows. */
  use(run: string): CalledTool {
    const next = this.latest.find(({ isShown }) => !isShown) ?? this.unknown(run);
    next.isShown = true;
    return next;
  }

  result(run: string, data: DataOf<'tool_call_completed'>, time: number): void {
    const call = this.turns.get(placeOf(run, data.step))?.find(({ id }) => id === data.call_id);
    if (call !== undefined) take(call, data.content, data.is_error === true, time);
  }

  /** Responses stand in the order of the calls; where the turn is known each follows its result. */
  response(run: string, content: Content, time: number): void {
    const call = this.turns.get(placeOf(run))?.find(({ id, result }) => id === null && result === null);
    if (call !== undefined) take(call, content, false, time);
  }

  end(run: string): void {
    for (const [place, calls] of this.turns)
      if (place === run || place.startsWith(`${run}\n`)) for (const call of calls) call.isOver = true;
  }

  private unknown(run: string): CalledTool {
    const call = { ...called({ id: '', name: '', arguments: '' }, null), id: null };
    if (this.turns.get(placeOf(run)) !== this.latest) this.turns.set(placeOf(run), (this.latest = []));
    this.latest.push(call);
    return call;
  }
}

export const isUnknown = ({ result }: CalledTool): boolean =>
  typeof result === 'string' && result.startsWith(OUTCOME_UNKNOWN);

const placeOf = (run: string, step?: { readonly call_id: string; readonly step_id: string }): string =>
  step === undefined ? run : `${run}\n${step.call_id}\n${step.step_id}`;

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
