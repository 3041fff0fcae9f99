import type { ListedRun } from '#projections';
import {
  type ModelCall,
  NO_CALLS,
  type RecordedSessionEvent,
  type SessionId,
  callOfTurn,
  withCall,
} from '#domain';
import type { ModelCallRow } from './rows.js';

type UsageKept = Extract<RecordedSessionEvent, { type: 'usage_kept' }>;

/** The model calls that a batch tells of, those of erased sessions, too. */
export class ModelCallRows {
  private readonly rows: ModelCallRow[] = [];

  /** @param run of the event, as it is listed; undefined: it is not */
  push(session: SessionId, event: RecordedSessionEvent, run: ListedRun | undefined): void {
    if (event.isUnreadable === true) return;
    if (event.type === 'model_called') return this.add(session, event, event.data);
    if (event.type === 'usage_kept') return this.addKept(session, event);
    if (event.type !== 'model_turn_completed' || run === undefined) return;
    const call = callOfTurn(event.data, run);
    if (call !== null) this.add(session, event, call);
  }

  take(): readonly ModelCallRow[] {
    return this.rows;
  }

  private addKept(session: SessionId, { data, meta: { project }, revision }: UsageKept): void {
    for (const [part, { run, time, key, mode, model, cost, ...sums }] of data.calls.entries())
      this.rows.push({
        run,
        revision,
        part,
        time,
        project,
        key,
        session,
        mode,
        model,
        sums: { ...sums, cost: BigInt(cost) },
      });
  }

  private add(session: SessionId, { meta, revision, time }: RecordedSessionEvent, call: ModelCall): void {
    this.rows.push({
      run: meta.run ?? '',
      revision,
      part: 0,
      time,
      project: meta.project,
      key: meta.actor,
      session,
      mode: call.mode,
      model: call.model,
      sums: withCall(NO_CALLS, call),
    });
  }
}
