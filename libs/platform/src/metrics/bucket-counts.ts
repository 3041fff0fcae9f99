import type { SeriesValue } from './metrics.js';

/** One series of a histogram. */
export interface BucketCounts {
  readonly labels: SeriesValue['labels'];
  /** Upper bounds, rising. */
  readonly boundaries: readonly number[];
  /**
   * Counts of the single buckets, not cumulative; the last one, beyond all bounds, makes one more than there
   * are bounds.
   */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

interface Parts {
  readonly labels: SeriesValue['labels'];
  readonly bounds: { readonly upTo: number; readonly count: number }[];
  sum: number;
  count: number;
}

/** @param values of the histogram `name` in Prometheus's form, where buckets are cumulative */
export function bucketCounts(name: string, values: readonly SeriesValue[]): BucketCounts[] {
  const bySeries = new Map<string, Parts>();
  for (const { labels, value, metricName } of values) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    const parts = bySeries.get(key) ?? { labels: others, bounds: [], sum: 0, count: 0 };
    bySeries.set(key, parts);
    if (metricName === `${name}_sum`) parts.sum = value;
    else if (metricName === `${name}_count`) parts.count = value;
    else if (le !== undefined && le !== '+Inf') parts.bounds.push({ upTo: Number(le), count: value });
  }
  return [...bySeries.values()].map(({ labels, bounds, sum, count }) => {
    const rising = bounds.toSorted((a, b) => a.upTo - b.upTo);
    const upTo = [...rising.map((bound) => bound.count), count];
    const counts = upTo.map((sofar, index) => sofar - (upTo[index - 1] ?? 0));
    return { labels, boundaries: rising.map((bound) => bound.upTo), counts, sum, count };
  });
}
