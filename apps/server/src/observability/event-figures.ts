import type { DeliveryEvent, InternalEvent, PublicEvent, TaskEvent, RunId } from '#domain';
import type { EventMeta, NewEvent } from '#event-log';
import { type Clock, type Counter, type Histogram, LONG_S, type Metrics } from '#platform';
import type { RunFacts } from '#agent';

type DataOf<E extends { readonly type: string; readonly data: object }, T extends E['type']> = Extract<
  E,
  { readonly type: T }
>['data'];

/** A run that is driven in this process. */
interface DrivenRun extends Pick<RunFacts, 'mode' | 'project'> {
  readonly since: number;
  hasText: boolean;
}

/** A figure of each project, by what else is told of it. */
type Count<L extends string = never> = Counter<L | 'project'>;

/**
 * Figures made of the events that this process has stored, so that they tell what the log tells, by project. Owns the runs that are
 * driven here: an event alone does not say of which model or mode its run is.
 */
export class EventFigures {
  private readonly driven = new Map<string, DrivenRun>();
  private readonly events: Count;
  private readonly requested: Count<'trigger' | 'mode'>;
  private readonly ended: Count<'status' | 'code'>;
  private readonly takenOver: Count;
  private readonly firstToken: Histogram<'mode' | 'project'>;
  private readonly tokens: Count<'model' | 'direction'>;
  private readonly cost: Count<'model'>;
  private readonly unpriced: Count<'model'>;
  private readonly toolCalls: Count<'outcome'>;
  private readonly attempts: Count<'outcome'>;
  private readonly firings: Count<'lateness'>;
  private readonly missed: Count;
  private readonly documents: Count<'status'>;

  constructor(
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const count = <const L extends string = never>(name: string, help: string, ...labels: L[]): Count<L> =>
      metrics.counter({ name, help, labels: [...labels, 'project'] });
    this.events = count('annals_log_events_total', 'Events that this process has stored.');
    this.requested = count('annals_runs_requested_total', 'Runs that were accepted.', 'trigger', 'mode');
    this.ended = count('annals_runs_ended_total', 'Runs that ended; code: why one failed.', 'status', 'code');
    this.takenOver = count(
      'annals_runs_taken_over_total',
      'Runs that were gone on with after another claim.',
    );
    this.tokens = count('annals_model_tokens_total', 'Tokens of model turns.', 'model', 'direction');
    this.cost = count('annals_model_cost_dollars_total', 'Cost of model turns in US dollars.', 'model');
    this.unpriced = count('annals_unpriced_calls_total', 'Model calls of models without a price.', 'model');
    this.toolCalls = count('annals_tool_calls_total', 'Tool calls that have a result.', 'outcome');
    this.attempts = count('annals_delivery_attempts_total', 'Attempts to send a callback.', 'outcome');
    this.firings = count('annals_task_firings_total', 'Slots of tasks that fired.', 'lateness');
    this.missed = count('annals_task_missed_slots_total', 'Slots of tasks that were missed.');
    this.documents = count('annals_documents_total', 'Documents that were read, or could not be.', 'status');
    this.firstToken = metrics.histogram({
      name: 'annals_run_first_token_seconds',
      help: "From the start of a run's driving until its first text was stored; runs that were taken over do not count.",
      labels: ['mode', 'project'],
      buckets: LONG_S,
    });
  }

  /** From here on the run is driven in this process. */
  begin({ run, mode, project, epoch }: RunFacts): void {
    this.driven.set(run, { mode, project, since: this.clock.now(), hasText: epoch > 1 });
  }

  /** The run is not driven in this process any more. */
  end(run: RunId): void {
    this.driven.delete(run);
  }

  readonly stored = (events: readonly NewEvent[]): void => {
    for (const event of events) {
      this.events.add({ project: ownerOf(event.meta) });
      this.take(event);
    }
  };

  private take(event: NewEvent): void {
    const { project } = event.meta;
    switch (event.type) {
      case 'agent_response':
      case 'agent_thinking':
        return this.text(event.meta.run ?? '');
      case 'model_called':
        return this.call(event);
      case 'tool_call_completed':
        return this.toolCalls.add({ outcome: 'is_error' in event.data ? 'error' : 'ok', project });
      case 'delivery_attempted':
        return this.attempts.add({
          outcome: outcomeOf(event.data as DataOf<DeliveryEvent, typeof event.type>),
          project,
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
    if (!('again' in event.data)) this.documents.add({ status, project: event.meta.project });
  }

  private run(event: NewEvent): void {
    const { project } = event.meta;
    switch (event.type) {
      case 'run_requested': {
        const { trigger, mode } = event.data as DataOf<InternalEvent, 'run_requested'>;
        return this.requested.add({ trigger, mode, project });
      }
      case 'run_claimed':
        if ((event.data as DataOf<InternalEvent, 'run_claimed'>).epoch > 1) this.takenOver.add({ project });
        return;
      case 'agent_completed':
        return this.ended.add({ status: 'completed', code: '', project });
      case 'agent_cancelled':
        return this.ended.add({ status: 'cancelled', code: '', project });
      case 'agent_error':
        return this.ended.add({
          status: 'failed',
          code: (event.data as DataOf<PublicEvent, 'agent_error'>).code,
          project,
        });
      default:
    }
  }

  private task({ type, data, meta: { project } }: NewEvent): void {
    if (type === 'task_fired') {
      const { late } = data as DataOf<TaskEvent, 'task_fired'>;
      this.firings.add({ lateness: late === true ? 'late' : 'on_time', project });
    } else if (type === 'task_missed')
      this.missed.add({ project }, (data as DataOf<TaskEvent, 'task_missed'>).count);
  }

  private text(id: string): void {
    const run = this.driven.get(id);
    if (run === undefined || run.hasText) return;
    run.hasText = true;
    const seconds = Math.max(0, this.clock.now() - run.since) / 1000;
    const { mode, project } = run;
    this.firstToken.observe({ mode, project }, seconds);
  }

  private call(event: NewEvent): void {
    const { model, cost, price, ...counts } = event.data as DataOf<InternalEvent, 'model_called'>;
    const { project } = event.meta;
    for (const [direction, count] of [
      ['input', counts.input_tokens],
      ['output', counts.output_tokens],
      ['cached_input', counts.cached_input_tokens],
      ['cache_write', counts.cache_write_tokens],
      ['reasoning', counts.reasoning_tokens],
    ] as const)
      if (count !== undefined) this.tokens.add({ model, direction, project }, count);
    if (cost !== '0') this.cost.add({ model, project }, Number(cost));
    if (price === null) this.unpriced.add({ model, project });
  }
}

/** What the service writes for itself is no project's, whatever a project may be called: it tells of all of them. */
const ownerOf = ({ project, actor }: EventMeta): string => (actor === SERVICE ? '' : project);
const SERVICE = 'annals';

function outcomeOf({ status, next_at, gave_up }: DataOf<DeliveryEvent, 'delivery_attempted'>): string {
  if (gave_up === true) return 'gave_up';
  if (next_at !== undefined) return 'retrying';
  return status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed';
}
