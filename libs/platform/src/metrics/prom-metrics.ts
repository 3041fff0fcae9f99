import { Counter as PromCounter, Gauge as PromGauge, Registry, collectDefaultMetrics } from 'prom-client';
import { CellHistogram } from './cell-histogram.js';
import {
  type Counter,
  type Figures,
  type Gauge,
  type Histogram,
  type HistogramTerms,
  type LookTerms,
  type MetricTerms,
  Metrics,
} from './metrics.js';
import { lookOn } from './quiet-metrics.js';
import { KnownProjects, NO_PROJECT, PROJECT, findSeries } from './series.js';

/** Puts the series of one project into a registry of its own. */
type Lend = (project: string, view: Registry) => Promise<void> | void;

interface Look {
  readonly isByProject: boolean;
  readonly take: () => void | Promise<void>;
}

/** Metrics in a registry of prom-client of its own; several in one process do not know of each other. */
export class PromMetrics extends Metrics {
  private readonly registry = new Registry();
  private readonly projects = new KnownProjects();
  private readonly looks: Look[] = [];
  private readonly handovers: (() => void)[] = [];
  /** Of each metric with a label `project`. */
  private readonly lenders: Lend[] = [];

  /** Adds the figures of the process itself: CPU, memory, garbage collection, the delay of the event loop. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  override counter<const L extends string = never>(terms: MetricTerms<L>): Counter<L> {
    const counter = new PromCounter<string>(this.optionsOf(terms));
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
    this.lends(terms, async (project, view) => {
      const own = new PromCounter<string>(optionsOf(terms, view));
      for (const { labels, value } of (await counter.get()).values)
        if (labels[PROJECT] === project) own.inc(labels, value);
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
    const gauge = new PromGauge<string>(this.optionsOf(terms));
    const seriesOf = findSeries(terms.labels ?? [], this.projects, (labels) =>
      // What is set for one of several would be said of all of them.
      labels[PROJECT] === NO_PROJECT ? NO_SERIES : gauge.labels(labels),
    );
    this.lends(terms, async (project, view) => {
      const own = new PromGauge<string>(optionsOf(terms, view));
      for (const { labels, value } of (await gauge.get()).values)
        if (labels[PROJECT] === project) own.set(labels, value);
    });
    return { set: (labels, value) => seriesOf(labels).set(value) };
  }

  override histogram<const L extends string = never>(terms: HistogramTerms<L>): Histogram<L> {
    const buckets = [...terms.buckets];
    const histogram = new CellHistogram({ ...this.optionsOf(terms), buckets });
    const seriesOf = findSeries(terms.labels ?? [], this.projects, (labels) => histogram.cell(labels));
    this.lends(terms, (project, view) => {
      const own = new CellHistogram({ ...optionsOf(terms, view), buckets });
      histogram.lend(own, (labels) => labels[PROJECT] === project);
    });
    return { observe: (labels, value) => histogram.add(seriesOf(labels), value) };
  }

  override onRead(look: () => void | Promise<void>, { isByProject = false }: LookTerms = {}): void {
    this.looks.push({ isByProject, take: look });
  }

  override async read(project?: string): Promise<Figures> {
    const looks = project === undefined ? this.looks : this.looks.filter(({ isByProject }) => isByProject);
    await Promise.allSettled(looks.map(async ({ take }) => take()));
    // One that counted nonsense hides no other.
    for (const handOver of this.handovers) lookOn(handOver);
    const registry = project === undefined ? this.registry : await this.viewOf(project);
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  /** Made of series, not of lines of text: names of projects are words of others. */
  private async viewOf(project: string): Promise<Registry> {
    const view = new Registry();
    // Those that share the label without a name are not shown to one of them.
    if (project === NO_PROJECT) return view;
    for (const lend of this.lenders) await lend(project, view);
    return view;
  }

  private lends({ labels = [] }: MetricTerms<string>, lend: Lend): void {
    if (labels.includes(PROJECT)) this.lenders.push(lend);
  }

  private optionsOf(terms: MetricTerms<string>) {
    return optionsOf(terms, this.registry);
  }
}

const NO_SERIES = { set: () => undefined };

function optionsOf({ name, help, labels = [] }: MetricTerms<string>, registry: Registry) {
  return { name, help, labelNames: [...labels], registers: [registry] };
}
