import { count, duration, size } from '../parts/format.js';
import { type Sample, labelValues, quantile, valueOf } from './metrics.js';

/** A figure of the System page; null: nothing was counted, or the key may not read it. */
export interface Figure {
  readonly name: string;
  readonly value: number | null;
  readonly unit: 'count' | 's' | 'bytes';
}

/** What a replica tells of itself, in the order of the page. */
export function figuresOf(samples: readonly Sample[]): readonly Figure[] {
  const counted = (name: string, metric: string, labels = {}): Figure => ({
    name,
    value: valueOf(samples, metric, labels),
    unit: 'count',
  });
  const APPEND = 'annals_log_append_duration_seconds';
  return [
    counted('Runs running', runsMetric(samples), { state: 'running' }),
    counted('Runs queued', runsMetric(samples), { state: 'queued' }),
    counted('Runs taken over', 'annals_runs_taken_over_total'),
    counted('Runs failed', 'annals_runs_ended_total', { status: 'failed' }),
    { name: 'Append p50', value: quantile(samples, APPEND, 0.5), unit: 's' },
    { name: 'Append p99', value: quantile(samples, APPEND, 0.99), unit: 's' },
    { name: 'First token p50', value: quantile(samples, 'annals_run_first_token_seconds', 0.5), unit: 's' },
    counted('Parked events', 'annals_follower_parked'),
    counted('Unreadable events', 'annals_events_unreadable_total'),
    counted('Deliveries made', 'annals_delivery_attempts_total', { outcome: 'delivered' }),
    counted('Deliveries given up', 'annals_delivery_attempts_total', { outcome: 'gave_up' }),
    counted('Open streams', 'annals_streams_open'),
    { name: 'Disk free', value: valueOf(samples, 'annals_disk_free_bytes'), unit: 'bytes' },
  ];
}

/** Of all projects where the key may read that, else of its own. */
const runsMetric = (samples: readonly Sample[]): string =>
  valueOf(samples, 'annals_runs') === null ? 'annals_project_runs' : 'annals_runs';

/** The version of this replica, and its Node.js; null: the key may not read it. */
export function versionOf(samples: readonly Sample[]): string | null {
  const [version] = labelValues(samples, 'annals_info', 'version');
  const [node] = labelValues(samples, 'annals_info', 'node');
  if (version === undefined) return null;
  return node === undefined ? version : `${version}, Node.js ${node.replace(/^v/, '')}`;
}

/** A figure as it is read: `38 ms`, `1,204`, `12.0 GB`. */
export function figureText({ value, unit }: Figure): string {
  if (value === null) return '–';
  if (unit === 'bytes') return size(value);
  // An append takes less than a millisecond.
  if (unit === 's') return value < 0.01 ? `${(value * 1000).toFixed(2)} ms` : duration(value * 1000);
  return count(value);
}
