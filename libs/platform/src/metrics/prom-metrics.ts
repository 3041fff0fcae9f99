import {
  AggregatorRegistry,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  type Metric,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import {
  type Counter,
  type Figures,
  type Gauge,
  type Histogram,
  type HistogramTerms,
  type LookTerms,
  type MetricFigures,
  type MetricTerms,
  METRIC_TYPES,
  Metrics,
} from './metrics.js';
import { lookOn } from './quiet-metrics.js';
import { KnownProjects, NO_PROJECT, PROJECT, findSeries } from './series.js';

interface Look {
  readonly isByProject: boolean;
  readonly take: () => void | Promise<void>;
}

/** Metrics in a prom-client registry of its own, not the global one. */
export class PromMetrics extends Metrics {
  private readonly registry = new Registry();
  private readonly projects = new KnownProjects();
  private readonly looks: Look[] = [];
  private readonly handovers: (() => void)[] = [];
  /** Those with the label `project`. */
  private readonly ofProjects: Metric[] = [];

  /** Adds the figures of the process itself: CPU, memory, garbage collection, the delay of the event loop. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  override counter<const L extends string = never>(terms: MetricTerms<L>): Counter<L> {
    const counter = this.kept(terms, new PromCounter(this.optionsOf(terms)));
    const seriesOf = findSeries(terms.labels ?? [], this.projects, (labels) => {
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
        seriesOf(labels).since += by;
      },
    };
  }

  override gauge<const L extends string = never>(terms: MetricTerms<L>): Gauge<L> {
    const gauge = this.kept(terms, new PromGauge(this.optionsOf(terms)));
    const seriesOf = findSeries(terms.labels ?? [], this.projects, (labels) =>
      // What is set for one of several would be said of all of them.
      labels[PROJECT] === NO_PROJECT ? NO_SERIES : gauge.labels(labels),
    );
    return { set: (labels, value) => seriesOf(labels).set(value) };
  }

  override histogram<const L extends string = never>(terms: HistogramTerms<L>): Histogram<L> {
    const options = { ...this.optionsOf(terms), buckets: [...terms.buckets] };
    const histogram = this.kept(terms, new PromHistogram(options));
    const seriesOf = findSeries(terms.labels ?? [], this.projects, (labels) => histogram.labels(labels));
    return { observe: (labels, value) => seriesOf(labels).observe(value) };
  }

  override onRead(look: () => void | Promise<void>, { isByProject = false }: LookTerms = {}): void {
    this.looks.push({ isByProject, take: look });
  }

  override async read(project?: string): Promise<Figures> {
    await this.look(project === undefined ? this.looks : this.looks.filter(({ isByProject }) => isByProject));
    const registry = project === undefined ? this.registry : await this.viewOf(project);
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  override async figures(): Promise<readonly MetricFigures[]> {
    await this.look(this.looks);
    const metrics = await this.registry.getMetricsAsJSON();
    return metrics.map(({ name, help, type, values }) => ({ name, help, type: kindOf(type), values }));
  }

  private async look(looks: readonly Look[]): Promise<void> {
    await Promise.allSettled(looks.map(async ({ take }) => take()));
    // One that counted nonsense hides no other.
    for (const handOver of this.handovers) lookOn(handOver);
  }

  /** Filters series, not lines of text, for names of projects are untrusted. */
  private async viewOf(project: string): Promise<Registry> {
    // Those that share the label without a name are not shown to one of them.
    if (project === NO_PROJECT) return new Registry();
    const metrics = await Promise.all(this.ofProjects.map((metric) => metric.get()));
    const isOfProject = ({ labels }: { labels: Readonly<Record<string, unknown>> }): boolean =>
      labels[PROJECT] === project;
    return AggregatorRegistry.aggregate([
      metrics.map((metric) => ({ ...metric, values: metric.values.filter(isOfProject) })),
    ]);
  }

  private kept<M extends Metric>({ labels = [] }: MetricTerms<string>, metric: M): M {
    if (labels.includes(PROJECT)) this.ofProjects.push(metric);
    return metric;
  }

  private optionsOf({ name, help, labels = [] }: MetricTerms<string>) {
    return { name, help, labelNames: [...labels], registers: [this.registry] };
  }
}

/** prom-client's types say a number; at run time it is Prometheus's name of the type. */
const kindOf = (type: unknown): MetricFigures['type'] =>
  METRIC_TYPES.find((kind) => kind === type) ?? 'summary';

const NO_SERIES = { set: () => undefined };
