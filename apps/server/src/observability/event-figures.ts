import type { DeliveryEvent, InternalEvent, PublicEvent, TaskEvent } from '#domain';
import type { NewEvent } from '#event-log';
import { type Clock, type Counter, type Histogram, LONG_S, type Metrics } from '#platform';
import type { RunFacts } from '#agent';

type DataOf<E extends { readonly type: string; readonly data: object }, T extends E['type']> = Extract<
  E,
  { readonly type: T }
>['data'];

/** A run that is driven in this process. */
interface DrivenRun {
  readonly facts: RunFacts;
  readonly since: number;
  hasText: boolean;
}

/**
 * Figures made of the events that this process has stored, so that they tell what the log tells. Owns the runs that are
 * driven here: an event alone does not say of which model or mode its run is.
 */
export class EventFigures {
  private readonly driven = new Map<string, DrivenRun>();
  private readonly events: Counter<never>;
  private readonly requested: Counter<'trigger' | 'mode'>;
  private readonly ended: Counter<'status' | 'code'>;
  private readonly takenOver: Counter<never>;
  private readonly firstToken: Histogram<'mode'>;
  private readonly cost: Counter<'model'>;
  private readonly toolCalls: Counter<'outcome'>;
  private readonly attempts: Counter<'outcome'>;
  private readonly firings: Counter<'lateness'>;
  private readonly missed: Counter<never>;
  private readonly documents: Counter<'status'>;

  constructor(
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const count = <const L extends string = never>(name: string, help: string, ...labels: L[]): Counter<L> =>
      metrics.counter({ name, help, labels });
    this.events = count('annals_log_events_total', 'Events that this process has stored.');
    this.requested = count('annals_runs_requested_total', 'Runs that were accepted.', 'trigger', 'mode');
    this.ended = count('annals_runs_ended_total', 'Runs that ended; code: why one failed.', 'status', 'code');
    this.takenOver = count(
      'annals_runs_taken_over_total',
      'Runs that were gone on with after another claim.',
    );
    this.cost = count('annals_model_cost_dollars_total', 'Cost of model turns in US dollars.', 'model');
    this.toolCalls = count('annals_tool_calls_total', 'Tool calls that have a result.', 'outcome');
    this.attempts = count('annals_delivery_attempts_total', 'Attempts to send a callback.', 'outcome');
    this.firings = count('annals_task_firings_total', 'Slots of tasks that fired.', 'lateness');
    this.missed = count('annals_task_missed_slots_total', 'Slots of tasks that were missed.');
    this.documents = count('annals_documents_total', 'Documents that were read, or could not be.', 'status');
    this.firstToken = metrics.histogram({
      name: 'annals_run_first_token_seconds',
      help: "From the start of a run's driving until its first text was stored; runs that were taken over do not count.",
      labels: ['mode'],
      buckets: LONG_S,
    });
  }

  /** From here on the run is driven in this process. */
  begin(facts: RunFacts): void {
    this.driven.set(facts.run, { facts, since: this.clock.now(), hasText: facts.epoch > 1 });
  }

  /** The run is not driven in this process any more. */
  end(run: string): void {
    this.driven.delete(run);
  }

  readonly stored = (events: readonly NewEvent[]): void => {
    this.events.add({}, events.length);
    for (const event of events) this.take(event);
  };

  private take(event: NewEvent): void {
    switch (event.type) {
      case 'agent_response':
      case 'agent_thinking':
        return this.text(event.meta.run ?? '');
      case 'model_turn_completed':
        return this.turn(event);
      case 'tool_call_completed':
        return this.toolCalls.add({ outcome: 'is_error' in event.data ? 'error' : 'ok' });
      case 'delivery_attempted':
        return this.attempts.add({
          outcome: outcomeOf(event.data as DataOf<DeliveryEvent, typeof event.type>),
        });
      case 'document_indexed':
        return this.document('indexed', event);
      case 'document_failed':
        return this.document('failed', event);
      default:
        return event.type.startsWith('task_') ? this.task(event) : this.run(event);
    }
  }

  private document(status: string, event: NewEvent): void {
    // What is said again was counted when it was said.
    if (!('again' in event.data)) this.documents.add({ status });
  }

  private run(event: NewEvent): void {
    switch (event.type) {
      case 'run_requested': {
        const { trigger, mode } = event.data as DataOf<InternalEvent, 'run_requested'>;
        return this.requested.add({ trigger, mode });
      }
      case 'run_claimed':
        if ((event.data as DataOf<InternalEvent, 'run_claimed'>).epoch > 1) this.takenOver.add({});
        return;
      case 'agent_completed':
        return this.ended.add({ status: 'completed', code: '' });
      case 'agent_cancelled':
        return this.ended.add({ status: 'cancelled', code: '' });
      case 'agent_error':
        return this.ended.add({
          status: 'failed',
          code: (event.data as DataOf<PublicEvent, 'agent_error'>).code,
        });
      default:
    }
  }

  private task({ type, data }: NewEvent): void {
    if (type === 'task_fired') {
      const { late } = data as DataOf<TaskEvent, 'task_fired'>;
      this.firings.add({ lateness: late === true ? 'late' : 'on_time' });
    } else if (type === 'task_missed') this.missed.add({}, (data as DataOf<TaskEvent, 'task_missed'>).count);
  }

  private text(id: string): void {
    const run = this.driven.get(id);
    if (run === undefined || run.hasText) return;
    run.hasText = true;
    const seconds = Math.max(0, this.clock.now() - run.since) / 1000;
    this.firstToken.observe({ mode: run.facts.mode }, seconds);
  }

  private turn(event: NewEvent): void {
    const { cost } = event.data as DataOf<InternalEvent, 'model_turn_completed'>;
    const model = this.driven.get(event.meta.run ?? '')?.facts.model ?? 'unknown';
    if (cost !== '0') this.cost.add({ model }, Number(cost));
  }
}

function outcomeOf({ status, next_at, gave_up }: DataOf<DeliveryEvent, 'delivery_attempted'>): string {
  if (gave_up === true) return 'gave_up';
  if (next_at !== undefined) return 'retrying';
  return status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed';
}
