/**
 * A value for each label of a metric. Never ids or anything else that callers choose (cardinality). The label
 * `project` says whose a series is: see `Metrics.read`.
 */
export type Labels<L extends string> = Readonly<Record<L, string>>;

export interface MetricTerms<L extends string> {
  /** `annals_…`, with its unit at the end: `_seconds`, `_total`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

export interface HistogramTerms<L extends string> extends MetricTerms<L> {
  /** Upper bounds, rising, in the metric's unit. */
  readonly buckets: readonly number[];
}

/** Counts what happened since the start of the process. */
export interface Counter<L extends string> {
  /** @param by not negative */
  add(labels: Labels<L>, by?: number): void;
}

/** A value that goes up and down. */
export interface Gauge<L extends string> {
  set(labels: Labels<L>, value: number): void;
}

export interface Histogram<L extends string> {
  observe(labels: Labels<L>, value: number): void;
}

/**
 * The process's metrics. One registry a process, made at the composition root and injected; a name is defined
 * once. Cardinality is bounded: series of a metric beyond the bound are counted under `other`; projects
 * beyond the bound are counted together, as `project=""`, with what belongs to none, and have no gauges.
 */
export abstract class Metrics {
  abstract counter<const L extends string = never>(terms: MetricTerms<L>): Counter<L>;
  abstract gauge<const L extends string = never>(terms: MetricTerms<L>): Gauge<L>;
  abstract histogram<const L extends string = never>(terms: HistogramTerms<L>): Histogram<L>;

  /** Registers a callback that sets gauges before each scrape. If it throws, they keep their values. */
  abstract onRead(look: () => void | Promise<void>, terms?: LookTerms): void;

  /** All metrics in Prometheus's text format; with `project`, only the series that carry its label. */
  abstract read(project?: string): Promise<Figures>;

  /** All metrics as objects. */
  abstract figures(): Promise<readonly MetricFigures[]>;
}

export const METRIC_TYPES = ['counter', 'gauge', 'histogram', 'summary'] as const;

/** A metric with all its series. */
export interface MetricFigures {
  readonly name: string;
  readonly help: string;
  readonly type: (typeof METRIC_TYPES)[number];
  readonly values: readonly SeriesValue[];
}

export interface SeriesValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
  /** Of histograms: `<name>_bucket` (with the label `le`), `<name>_sum` or `<name>_count`. */
  readonly metricName?: string;
}

export interface LookTerms {
  /** It sets gauges with the label `project`, so it runs for reads of one project, too. */
  readonly isByProject?: boolean;
}

/** The body of a scrape. */
export interface Figures {
  readonly contentType: string;
  readonly text: string;
}

/** Records nothing: for processes and tests whose metrics nobody reads. */
export class SilentMetrics extends Metrics {
  override counter(): { add(): void } {
    return { add: () => undefined };
  }
  override gauge(): { set(): void } {
    return { set: () => undefined };
  }
  override histogram(): { observe(): void } {
    return { observe: () => undefined };
  }
  override onRead(): void {}
  override read(): Promise<Figures> {
    return Promise.resolve({ contentType: 'text/plain', text: '' });
  }
  override figures(): Promise<readonly MetricFigures[]> {
    return Promise.resolve([]);
  }
}

/** Histogram bounds in seconds, for operations from memory accesses to runs. */
export const SHORT_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
export const LONG_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
