import { type HrTime, ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { bucketCounts } from './bucket-counts.js';
import type { MetricFigures } from './metrics.js';

/** OpenTelemetry's unit for the suffix of a Prometheus name. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By' };

/** Start of counting, and time of the reading. */
export interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/**
 * Converts a Prometheus metric to OpenTelemetry's form, with the same name and labels. null: a type that has
 * none.
 */
export function metricDataOf(figures: MetricFigures, span: Span): MetricData | null {
  const { name, help, type, values } = figures;
  const [, unit = ''] = /_(seconds|bytes)(?:_total)?$/.exec(name) ?? [];
  const base = {
    descriptor: { name, description: help, unit: UNITS[unit] ?? '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ labels, value }) => ({ ...span, attributes: labels, value }));
  switch (type) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return {
        ...base,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: bucketCounts(name, values).map(({ labels, boundaries, counts, sum, count }) => ({
          ...span,
          attributes: labels,
          value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
        })),
      };
    case 'summary':
      return null;
  }
}
