import { Counter as PromCounter, Gauge as PromGauge, Registry, collectDefaultMetrics } from 'prom-client';
import { CellHistogram } from './cell-histogram.js';
import {
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramTerms,
  type Labels,
  type MetricTerms,
  Metrics,
} from './metrics.js';
import { lookOn } from './quiet-metrics.js';

/** Series a metric keeps at most: a label whose values are not as few as they seemed must not fill the memory. */
const MAX_SERIES = 500;
const OTHER = 'other';

/** Metrics in a registry of prom-client of its own; several in one process do not know of each other. */
export class PromMetrics extends Metrics {
  private readonly registry = new Registry();
  private readonly looks: (() => void | Promise<void>)[] = [];
  private readonly handovers: (() => void)[] = [];

  /** Adds the figures of the process itself: CPU, memory, garbage collection, the delay of the event loop. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  override counter<const L extends string = never>(terms: MetricTerms<L>): Counter<L> {
    const counter = new PromCounter<string>(this.optionsOf(terms));
    const series = new Series(terms.labels ?? [], (labels) => {
      const sum = { since: 0 };
      // Handed over when somebody reads: that costs more than all else that is done for a figure.
      this.handovers.push(() => {
        const { since } = sum;
        sum.since = 0;
        counter.inc(labels, since);
      });
      return sum;
    });
    return {
      add: (labels, by = 1) => {
        // Otherwise it would be nonsense from then on.
        if (!(by >= 0)) throw new RangeError(`${terms.name} counts upwards, not by ${by}`);
        series.of(labels).since += by;
      },
    };
  }

  override gauge<const L extends string = never>(terms: MetricTerms<L>): Gauge<L> {
    const gauge = new PromGauge<string>(this.optionsOf(terms));
    const series = new Series(terms.labels ?? [], (labels) => gauge.labels(labels));
    return { set: (labels, value) => series.of(labels).set(value) };
  }

  override histogram<const L extends string = never>(terms: HistogramTerms<L>): Histogram<L> {
    const buckets = [...terms.buckets];
    const histogram = new CellHistogram({ ...this.optionsOf(terms), buckets });
    const series = new Series(terms.labels ?? [], (labels) => histogram.cell(labels));
    return { observe: (labels, value) => histogram.add(series.of(labels), value) };
  }

  override onRead(look: () => void | Promise<void>): void {
    this.looks.push(look);
  }

  override async read(): Promise<{ readonly contentType: string; readonly text: string }> {
    await Promise.allSettled(this.looks.map(async (look) => look()));
    // One that counted nonsense hides no other.
    for (const handOver of this.handovers) lookOn(handOver);
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  private optionsOf({ name, help, labels = [] }: MetricTerms<string>) {
    return { name, help, labelNames: [...labels], registers: [this.registry] };
  }
}

/** The series of a metric, each made when it is first used and found by its labels' values afterwards. */
class Series<L extends string, S> {
  private readonly known = new Map<string, S>();
  private rest: S | null = null;

  constructor(
    private readonly names: readonly L[],
    private readonly make: (labels: Record<string, string>) => S,
  ) {}

  of(labels: Labels<L>): S {
    const key = this.keyOf(labels);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    // Values beyond the bound are not remembered either.
    if (this.known.size >= MAX_SERIES) return (this.rest ??= this.make(this.labelsOf(() => OTHER)));
    const made = this.make(this.labelsOf((name) => labels[name]));
    this.known.set(key, made);
    return made;
  }

  private labelsOf(value: (name: L) => string): Record<string, string> {
    return Object.fromEntries(this.names.map((name) => [name, value(name)]));
  }

  private keyOf(labels: Labels<L>): string {
    const [first, second] = this.names;
    if (first === undefined) return '';
    if (second === undefined) return labels[first];
    return this.names.map((name) => labels[name]).join('\n');
  }
}
