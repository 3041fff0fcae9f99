import {
  ClaimLost,
  type ModelEnd,
  ModelFailure,
  RunCancelled,
  type RunFacts,
  RunStopped,
  RunTimedOut,
  RunWatch,
  type ToolOutcome,
} from '#agent';
import type { RunEnd, TurnToolCall } from '#domain';
import {
  type Clock,
  type Histogram,
  LONG_S,
  type Metrics,
  type Span,
  QuietMetrics,
  QuietTracer,
  type Tracer,
  lookOn,
} from '#platform';
import type { EventFigures } from './event-figures.js';
import { runSpan } from './run-span.js';

/**
 * Figures and spans of what runs do. Names of spans and attributes: OpenTelemetry's conventions for generative AI.
 * Nothing that the caller, the model or a tool wrote stands in them but the names of tools.
 */
export class ServiceRunWatch extends RunWatch {
  private readonly waits: Histogram<'project'>;
  private readonly runs: Histogram<'mode' | 'status' | 'project'>;
  private readonly calls: Histogram<'model' | 'outcome'>;
  private readonly tools: Histogram<'outcome'>;
  private readonly tracer: Tracer | null;

  /**
   * @param tracer null: nobody asked for traces
   * @param modelServer of the operator; null: the built-in demo model
   */
  constructor(
    private readonly clock: Clock,
    watched: Metrics,
    private readonly events: EventFigures,
    tracer: Tracer | null,
    private readonly modelServer: ModelServer | null = null,
  ) {
    super();
    const metrics = new QuietMetrics(watched);
    this.tracer = tracer === null ? null : new QuietTracer(tracer);
    this.waits = metrics.histogram({
      name: 'annals_run_wait_seconds',
      help: 'From the request of a run until it is driven.',
      labels: ['project'],
      buckets: LONG_S,
    });
    this.runs = metrics.histogram({
      name: 'annals_run_duration_seconds',
      help: "From the start of a run's driving to its end; runs that were taken over do not count.",
      labels: ['mode', 'status', 'project'],
      buckets: LONG_S,
    });
    this.calls = metrics.histogram({
      name: 'annals_model_call_duration_seconds',
      help: 'Requests to the model: ok, transient, too_long, refused, stopped, error.',
      labels: ['model', 'outcome'],
      buckets: LONG_S,
    });
    this.tools = metrics.histogram({
      name: 'annals_tool_call_duration_seconds',
      help: 'Tool calls that were made: ok, error, stopped.',
      labels: ['outcome'],
      buckets: LONG_S,
    });
  }

  override async run(facts: RunFacts, drive: () => Promise<RunEnd | null>): Promise<RunEnd | null> {
    const since = this.clock.now();
    const { mode, project } = facts;
    const isFirst = facts.epoch === 1;
    if (isFirst) this.waits.observe({ project }, Math.max(0, since - facts.requestedAt) / 1000);
    lookOn(() => this.events.begin(facts));
    try {
      const end = await this.traced(facts, drive);
      if (end !== null && isFirst) {
        const seconds = Math.max(0, this.clock.now() - since) / 1000;
        this.runs.observe({ mode, status: end.kind, project }, seconds);
      }
      return end;
    } finally {
      lookOn(() => this.events.end(facts.run));
    }
  }

  override async modelCall(model: string, ask: () => Promise<ModelEnd>): Promise<ModelEnd> {
    const span = this.tracer?.start({
      name: `chat ${model}`,
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': model,
        ...this.modelServer,
      },
    });
    const since = performance.now();
    let outcome = 'ok';
    try {
      const end = await ask();
      lookOn(() => answered(end, span));
      return end;
    } catch (error) {
      outcome = outcomeOf(error);
      span?.fail(outcome);
      throw error;
    } finally {
      this.calls.observe({ model, outcome }, (performance.now() - since) / 1000);
      span?.end();
    }
  }

  override async toolCall(
    call: TurnToolCall,
    make: (traceparent: string | undefined) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome> {
    const span = this.tracer?.start({
      name: `execute_tool ${call.name}`,
      kind: 'internal',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.name,
        'gen_ai.tool.call.id': call.id,
        'gen_ai.tool.type': 'function',
      },
    });
    const since = performance.now();
    let outcome = 'ok';
    try {
      const result = await this.within(span, () => make(span?.traceparent));
      if (result.isError === true) outcome = 'error';
      return result;
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      if (outcome !== 'ok') span?.fail(outcome);
      this.tools.observe({ outcome }, (performance.now() - since) / 1000);
      span?.end();
    }
  }

  /** So that what a tool does in turn, e.g. the steps of a workflow, is part of its span. */
  private within<T>(span: Span | undefined, work: () => T): T {
    return this.tracer === null || span === undefined ? work() : this.tracer.within(span, work);
  }

  /** The span of a run ends with the run, in whichever process that is; one that goes on elsewhere is told of there. */
  private async traced(facts: RunFacts, drive: () => Promise<RunEnd | null>): Promise<RunEnd | null> {
    if (this.tracer === null) return drive();
    const span = spanOf(this.tracer, facts);
    const end = await (span === null ? drive() : this.tracer.within(span, drive));
    if (end === null || span === null) return end;
    const { inputTokens, outputTokens } = facts.usage();
    span.set({
      'annals.run.status': end.kind,
      'annals.run.epoch': facts.epoch,
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
    });
    if (end.kind === 'failed') span.fail(end.code);
    span.end();
    return end;
  }
}

function answered({ usage, finishReason }: ModelEnd, span: Span | undefined): void {
  span?.set({
    'gen_ai.response.finish_reasons': [finishReason],
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    ...(usage.cachedInputTokens === undefined
      ? {}
      : { 'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens }),
  });
}

/** Where the model is asked, in the names of OpenTelemetry. */
export type ModelServer = Readonly<{ 'server.address': string; 'server.port': number }>;

/** @param baseUrl http or https */
export function modelServerOf(baseUrl: string): ModelServer {
  const { hostname, port, protocol } = new URL(baseUrl);
  const standard = protocol === 'https:' ? 443 : 80;
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? standard : Number(port),
  };
}

function spanOf(tracer: Tracer, facts: RunFacts): Span | null {
  let span: Span | null = null;
  lookOn(() => (span = runSpan(tracer, facts)));
  return span;
}

/** What a run is stopped with is no failure of what it was doing. */
const STOPS = [RunCancelled, RunStopped, RunTimedOut, ClaimLost];

function outcomeOf(error: unknown): string {
  if (error instanceof ModelFailure) return error.kind;
  return STOPS.some((kind) => error instanceof kind) ? 'stopped' : 'error';
}
