import { type OnFault, lookOn } from '../metrics/quiet-metrics.js';
import { type Attributes, type Span, type SpanTerms, Tracer } from './tracer.js';

/** A tracer whose failures never reach the code that is traced. */
export class QuietTracer extends Tracer {
  constructor(
    private readonly tracer: Tracer,
    private readonly onFault?: OnFault,
  ) {
    super();
  }

  override start(terms: SpanTerms): Span {
    let span: Span | null = null;
    lookOn(() => (span = this.tracer.start(terms)), this.onFault);
    return new QuietSpan(span, this.onFault);
  }

  /** Runs the work exactly once, whatever the tracer does. */
  override within<T>(span: Span, work: () => T): T {
    const known = span instanceof QuietSpan ? span.span : span;
    if (known === null) return work();
    let done: { readonly value: T } | { readonly error: unknown } | null = null;
    const doIt = (): void => {
      try {
        done = { value: work() };
      } catch (error) {
        done = { error };
      }
    };
    lookOn(() => this.tracer.within(known, doIt), this.onFault);
    if (done === null) doIt();
    const end = done as unknown as { readonly value: T } | { readonly error: unknown };
    if ('error' in end) throw end.error;
    return end.value;
  }

  override get current(): Span | null {
    let span: Span | null = null;
    lookOn(() => (span = this.tracer.current), this.onFault);
    return span === null ? null : new QuietSpan(span, this.onFault);
  }

  override async close(): Promise<void> {
    await this.tracer.close();
  }
}

class QuietSpan implements Span {
  /** @param span null: it could not be started */
  constructor(
    readonly span: Span | null,
    private readonly onFault: OnFault | undefined,
  ) {}

  get traceparent(): string {
    return this.textOf((span) => span.traceparent);
  }

  get traceId(): string {
    return this.textOf((span) => span.traceId);
  }

  set(attributes: Attributes): void {
    lookOn(() => this.span?.set(attributes), this.onFault);
  }

  fail(type: string): void {
    lookOn(() => this.span?.fail(type), this.onFault);
  }

  end(): void {
    lookOn(() => this.span?.end(), this.onFault);
  }

  private textOf(get: (span: Span) => string): string {
    let text = '';
    lookOn(() => (text = this.span === null ? '' : get(this.span)), this.onFault);
    return text;
  }
}
