import {
  type Counter,
  type Figures,
  type Gauge,
  type Histogram,
  type HistogramTerms,
  type LookTerms,
  type MetricFigures,
  type MetricTerms,
  Metrics,
} from './metrics.js';

/** Receives errors of observability code; must not throw. */
export type OnFault = (error: unknown) => void;

/** Runs observability code such that its failure never reaches the code that is observed. */
export function lookOn(look: () => void, onFault: OnFault = () => undefined): void {
  try {
    look();
  } catch (error) {
    onFault(error);
  }
}

/** Metrics whose failures never reach the code that records them. */
export class QuietMetrics extends Metrics {
  constructor(
    private readonly metrics: Metrics,
    private readonly onFault?: OnFault,
  ) {
    super();
  }

  override counter<const L extends string = never>(terms: MetricTerms<L>): Counter<L> {
    const counter = this.metrics.counter<L>(terms);
    return { add: (labels, by) => lookOn(() => counter.add(labels, by), this.onFault) };
  }

  override gauge<const L extends string = never>(terms: MetricTerms<L>): Gauge<L> {
    const gauge = this.metrics.gauge<L>(terms);
    return { set: (labels, value) => lookOn(() => gauge.set(labels, value), this.onFault) };
  }

  override histogram<const L extends string = never>(terms: HistogramTerms<L>): Histogram<L> {
    const histogram = this.metrics.histogram<L>(terms);
    return { observe: (labels, value) => lookOn(() => histogram.observe(labels, value), this.onFault) };
  }

  override onRead(look: () => void | Promise<void>, terms?: LookTerms): void {
    this.metrics.onRead(look, terms);
  }

  override read(project?: string): Promise<Figures> {
    return this.metrics.read(project);
  }

  override figures(): Promise<readonly MetricFigures[]> {
    return this.metrics.figures();
  }
}
