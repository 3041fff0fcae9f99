import {
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import {
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramTerms,
  type Labels,
  type MetricTerms,
  Metrics,
} from './metrics.js';

/** Series a metric keeps at most: a label whose values are not as few as they seemed must not fill the memory. */
const MAX_SERIES = 500;
const OTHER = 'other';

/** Metrics in a registry of prom-client of its own; several in one process do not know of each other. */
export class PromMetrics extends Metrics {
  private readonly registry = new Registry();
  private readonly looks: (() => void | Promise<void>)[] = [];

  /** Adds the figures of the process itself: CPU, memory, garbage collection, the delay of the event loop. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  override counter<const L extends string = never>(terms: MetricTerms<L>): Counter<L> {
    const counter = new PromCounter<string>(this.optionsOf(terms));
    const series = new Series(terms.labels ?? [], (labels) => counter.labels(labels));
    return { add: (labels, by = 1) => series.of(labels).inc(by) };
  }

  override gauge<const L extends string = never>(terms: MetricTerms<L>): Gauge<L> {
    const gauge = new PromGauge<string>(this.optionsOf(terms));
    const series = new Series(terms.labels ?? [], (labels) => gauge.labels(labels));
    return { set: (labels, value) => series.of(labels).set(value) };
  }

  override histogram<const L extends string = never>(terms: HistogramTerms<L>): Histogram<L> {
    const buckets = [...terms.buckets];
    const histogram = new PromHistogram<string>({ ...this.optionsOf(terms), buckets });
    const series = new Series(terms.labels ?? [], (labels) => histogram.labels(labels));
    return { observe: (labels, value) => series.of(labels).observe(value) };
  }

  override onRead(look: () => void | Promise<void>): void {
    this.looks.push(look);
  }

  override async read(): Promise<{ readonly contentType: string; readonly text: string }> {
    await Promise.allSettled(this.looks.map(async (look) => look()));
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  private optionsOf({ name, help, labels = [] }: MetricTerms<string>) {
    return { name, help, labelNames: [...labels], registers: [this.registry] };
  }
}

/** The series of a metric, each made when it is first used and found by its labels' values afterwards. */
class Series<L extends string, S> {
  private readonly known = new Map<string, S>();

  constructor(
    private readonly names: readonly L[],
    private readonly make: (labels: Record<string, string>) => S,
  ) {}

  of(labels: Labels<L>): S {
    const key = this.keyOf(labels);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const isRoom = this.known.size < MAX_SERIES;
    const kept = isRoom ? labels : Object.fromEntries(this.names.map((name) => [name, OTHER]));
    const made = this.make(kept);
    // Values beyond the bound are not remembered either.
    if (isRoom) this.known.set(key, made);
    return made;
  }

  private keyOf(labels: Labels<L>): string {
    const [first, second] = this.names;
    if (first === undefined) return '';
    if (second === undefined) return labels[first];
    return this.names.map((name) => labels[name]).join('\n');
  }
}
