import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './until.js';

type Value = string | number | boolean | readonly string[];

/** A span as a collector gets it, its attributes made plain. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** SpanKind of OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly resource: Readonly<Record<string, Value>>;
}

interface OtlpValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}
type OtlpAttributes = readonly { readonly key: string; readonly value: OtlpValue }[];

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: OtlpAttributes;
  readonly status?: { readonly code?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpAttributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A metric as a collector gets it. */
export interface ReceivedMetric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly OtlpPoint[] };
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly histogram?: { readonly dataPoints: readonly OtlpHistogramPoint[] };
}

interface OtlpPoint {
  readonly attributes: OtlpAttributes;
  readonly asDouble: number;
}

interface OtlpHistogramPoint {
  readonly attributes: OtlpAttributes;
  readonly count: number | string;
  readonly sum: number;
  readonly bucketCounts: readonly (number | string)[];
  readonly explicitBounds: readonly number[];
}

interface OtlpMetricsRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[];
  }[];
}

const ERROR = 2;

/** A collector that speaks OTLP over HTTP, with JSON, and keeps what it gets. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The figures that came last, by name. */
  readonly metrics = new Map<string, ReceivedMetric>();
  /** Every body as it came. */
  readonly bodies: string[] = [];
  private readonly server: Server;
  private readonly waiters = new Set<() => void>();

  private constructor(private readonly status: number) {
    this.server = createServer((incoming, response) => void this.take(incoming, response));
  }

  /** @param status of every answer */
  static async start(status = 200): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver(status);
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  /** What belongs into OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** Resolves when `isTrue`, which is looked at whenever spans have come. */
  async until(what: string, isTrue: () => boolean): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE_MS);
    while (!isTrue()) {
      if (late.aborted) {
        throw new Error(`waited in vain for ${what}; there are ${this.spans.map((s) => s.name).join(', ')}`);
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.waiters.delete(wake);
          late.removeEventListener('abort', wake);
          resolve();
        };
        this.waiters.add(wake);
        late.addEventListener('abort', wake, { once: true });
      });
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private takeMetrics({ resourceMetrics }: OtlpMetricsRequest): void {
    for (const { scopeMetrics } of resourceMetrics)
      for (const { metrics } of scopeMetrics)
        for (const metric of metrics) this.metrics.set(metric.name, metric);
  }

  private async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    incoming.setEncoding('utf8');
    let body = '';
    for await (const part of incoming) body += part as string;
    const isMetrics = incoming.url === '/v1/metrics';
    if (incoming.method !== 'POST' || (incoming.url !== '/v1/traces' && !isMetrics)) {
      response.writeHead(404).end();
      return;
    }
    this.bodies.push(body);
    if (this.status === 200 && isMetrics) this.takeMetrics(JSON.parse(body) as OtlpMetricsRequest);
    else if (this.status === 200) this.spans.push(...spansOf(JSON.parse(body) as OtlpRequest));
    response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
    for (const wake of this.waiters) wake();
  }
}

const spansOf = ({ resourceSpans }: OtlpRequest): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, plain(resource.attributes)))),
  );

const spanOf = (span: OtlpSpan, resource: ReceivedSpan['resource']): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? '',
  name: span.name,
  kind: span.kind,
  startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
  endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
  isError: span.status?.code === ERROR,
  attributes: plain(span.attributes),
  resource,
});

const plain = (attributes: OtlpAttributes): Record<string, Value> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

function valueOf({ stringValue, boolValue, intValue, doubleValue, arrayValue }: OtlpValue): Value {
  if (arrayValue !== undefined) return arrayValue.values.map((value) => String(valueOf(value)));
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}
