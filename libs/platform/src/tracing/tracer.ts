export type AttributeValue = string | number | boolean | readonly string[];
/**
 * Attributes named after OpenTelemetry's semantic conventions, or `annals.…`. Never content, never a secret.
 */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanTerms {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** `traceparent` of the parent; absent: the current span, if any. */
  readonly parent?: string | undefined;
  /** When it began, in ms since 1970; absent: now. */
  readonly startedAt?: number;
  /**
   * The span's ids derive from it, so that another process that continues the same work means the same span.
   */
  readonly key?: string;
}

/** A timed unit of work. It is exported when it ends; one that never ends is not, only its children are. */
export interface Span {
  /** To be passed to whatever this span causes elsewhere or later. */
  readonly traceparent: string;
  /** For log lines. */
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** Marks it as failed; `type` is from a small set, e.g. a status or an error's name. */
  fail(type: string): void;
  end(): void;
}

/** Port: distributed tracing, over processes and restarts. */
export abstract class Tracer {
  abstract start(terms: SpanTerms): Span;
  /** Runs the work with `span` as the current span, the default parent of those started in it. */
  abstract within<T>(span: Span, work: () => T): T;
  /** The span that the caller is within. */
  abstract get current(): Span | null;
  /** Exports what has ended, within a few seconds. */
  abstract close(): Promise<void>;
}
