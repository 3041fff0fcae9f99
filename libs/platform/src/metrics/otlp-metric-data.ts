import { type HrTime, ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { bucketCounts } from './bucket-counts.js';
import type { MetricFigures } from './metrics.js';

/** What OpenTelemetry calls the unit that a name of Prometheus ends with. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By' };

/** When counting began, and when it was looked at. */
export interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** A metric as Prometheus has it, in OpenTelemetry's form: the same names and labels. null: it has no such form. */
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
