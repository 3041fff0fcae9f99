import { type CallbackRequest, CallbackSender, type SendOutcome } from '#delivery';
import {
  type Histogram,
  type Metrics,
  QuietMetrics,
  QuietTracer,
  SHORT_S,
  type Span,
  type Tracer,
  lookOn,
} from '#platform';
import { runSpan } from './run-span.js';

/** Sends callbacks, and tells how long each attempt took. The receiver is told whose trace it is part of. */
export class WatchedSender extends CallbackSender {
  private readonly seconds: Histogram<'status'>;
  private readonly tracer: Tracer | null;

  /** @param tracer null: nobody asked for traces */
  constructor(
    private readonly sender: CallbackSender,
    watched: Metrics,
    tracer: Tracer | null,
  ) {
    super();
    const metrics = new QuietMetrics(watched);
    this.tracer = tracer === null ? null : new QuietTracer(tracer);
    this.seconds = metrics.histogram({
      name: 'annals_delivery_attempt_duration_seconds',
      help: 'Attempts to send a callback, by the class of the answer; none: there was no answer.',
      labels: ['status'],
      buckets: SHORT_S,
    });
  }

  override async send(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome> {
    let span: Span | undefined;
    lookOn(() => (span = this.spanOf(request)));
    const since = performance.now();
    let status = 'none';
    try {
      const outcome = await this.sender.send(span === undefined ? request : toldOf(request, span), signal);
      if (outcome.kind === 'answered') {
        status = `${Math.floor(outcome.status / 100)}xx`;
        span?.set({ 'http.response.status_code': outcome.status });
      }
      return outcome;
    } finally {
      this.seconds.observe({ status }, (performance.now() - since) / 1000);
      if (status !== '2xx') span?.fail(status);
      span?.end();
    }
  }

  /** Neither the URL nor anything of it: it may hold a token. */
  private spanOf({ headers, cause }: CallbackRequest): Span | undefined {
    const run = headers['annals-run'];
    if (this.tracer === null || run === undefined) return undefined;
    return this.tracer.start({
      name: 'deliver callback',
      kind: 'client',
      parent: runSpan(this.tracer, { run, cause }).traceparent,
      attributes: {
        'http.request.method': 'POST',
        'annals.run.id': run,
        'annals.delivery.sequence': Number(headers['annals-sequence']),
      },
    });
  }
}

/** A `traceparent` that the caller chose for the callback stays. */
const toldOf = (request: CallbackRequest, { traceparent }: Span): CallbackRequest => ({
  ...request,
  headers: { ...(traceparent === '' ? {} : { traceparent }), ...request.headers },
});
