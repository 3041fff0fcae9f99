export type AttributeValue = string | number | boolean | readonly string[];
/** Names after OpenTelemetry's conventions, or `annals.…`. Never content, never a secret. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanTerms {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** `traceparent` of what caused it; absent: the current span, if there is one. */
  readonly parent?: string | undefined;
  /** When it began, in ms since 1970; absent: now. */
  readonly startedAt?: number;
  /** The span's ids follow from it: whoever goes on with the same work in another process means the same span. */
  readonly key?: string;
}

/** A stretch of work. It is told of when it ends; one that never ends leaves no trace of itself, only its children do. */
export interface Span {
  /** For whatever this span causes elsewhere or later. */
  readonly traceparent: string;
  /** What log lines carry. */
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** It went wrong; `type` is one of few words, e.g. a status or an error's name. */
  fail(type: string): void;
  end(): void;
}

/** Tells where time went, over processes and restarts. */
export abstract class Tracer {
  abstract start(terms: SpanTerms): Span;
  /** Does the work; spans that are started in it without a `parent` are children of `span`. */
  abstract within<T>(span: Span, work: () => T): T;
  /** The span that the caller is within. */
  abstract get current(): Span | null;
  /** Sends what has ended, within a few seconds. */
  abstract close(): Promise<void>;
}
