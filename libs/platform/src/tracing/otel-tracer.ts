import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracerApi,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  type IdGenerator,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type ServiceIdentity, resourceOf } from './otel-resource.js';
import { shutdownWithin } from './shutdown-within.js';
import { formatTraceparent, parseTraceparent } from './traceparent.js';
import { type Attributes, type Span, type SpanTerms, Tracer } from './tracer.js';

export interface OtelTracerOptions extends ServiceIdentity {
  /** Base URL of the collector: `/v1/traces` is added. */
  readonly endpoint: string;
  /** Called for each batch of spans that could not be exported; they are lost. */
  readonly onLost: (spans: number, error: Error | undefined) => void;
}

/** Export interval (ms): a killed process loses at most this much of its spans. */
const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 5_000;
const CLOSE_MS = 3_000;
const MAX_QUEUED = 4_096;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * OpenTelemetry spans, exported as OTLP over HTTP. Registers nothing globally: context is passed explicitly,
 * and within a unit of work by an AsyncLocalStorage of its own.
 */
export class OtelTracer extends Tracer {
  private readonly ids = new KeyedIds();
  private readonly provider: TracerProvider;
  private readonly tracer: OtelTracerApi;
  private readonly currents = new AsyncLocalStorage<LiveSpan>();

  constructor(options: OtelTracerOptions) {
    super();
    const { endpoint, onLost } = options;
    const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: SEND_TIMEOUT_MS });
    const processor = new BatchSpanProcessor({
      exporter: new LossReportingExporter(exporter, onLost),
      scheduledDelayMillis: SEND_EVERY_MS,
      exportTimeoutMillis: 2 * SEND_TIMEOUT_MS,
      maxQueueSize: MAX_QUEUED,
    });
    const resource = resourceOf(options);
    this.provider = new TracerProvider({ resource, idGenerator: this.ids, spanProcessors: [processor] });
    this.tracer = this.provider.getTracer('annals', options.version);
  }

  override start({ name, kind, attributes = {}, parent, startedAt, key }: SpanTerms): Span {
    this.ids.nextFor(key);
    const options = {
      kind: KINDS[kind],
      attributes: { ...attributes },
      ...(startedAt === undefined ? {} : { startTime: startedAt }),
    };
    return new LiveSpan(this.tracer.startSpan(name, options, this.contextOf(parent)));
  }

  override within<T>(span: Span, work: () => T): T {
    return span instanceof LiveSpan ? this.currents.run(span, work) : work();
  }

  override get current(): Span | null {
    return this.currents.getStore() ?? null;
  }

  override close(): Promise<void> {
    return shutdownWithin(CLOSE_MS, this.provider);
  }

  private contextOf(parent: string | undefined): Context {
    if (parent === undefined) return this.currents.getStore()?.context ?? ROOT_CONTEXT;
    const known = parseTraceparent(parent);
    if (known === null) return ROOT_CONTEXT;
    const { traceId, spanId, isSampled } = known;
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }
}

class LiveSpan implements Span {
  readonly context: Context;

  constructor(private readonly span: OtelSpan) {
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return formatTraceparent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.span.setAttribute('error.type', type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/** Random ids, except for a span that is started with a key: its ids derive from it. */
class KeyedIds implements IdGenerator {
  private key: string | undefined;

  nextFor(key: string | undefined): void {
    this.key = key;
  }

  generateTraceId(): string {
    return this.key === undefined ? randomBytes(16).toString('hex') : digest(`trace ${this.key}`, 32);
  }

  generateSpanId(): string {
    return this.key === undefined ? randomBytes(8).toString('hex') : digest(`span ${this.key}`, 16);
  }
}

const digest = (text: string, digits: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/** Reports lost spans, of which OpenTelemetry's exporter says nothing. */
class LossReportingExporter implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly onLost: OtelTracerOptions['onLost'],
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.exporter.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) this.onLost(spans.length, result.error);
      // Nothing is to be done about it, least of all by rejections that nobody awaits.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }
}
