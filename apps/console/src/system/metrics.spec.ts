import { describe, expect, test } from '@jest/globals';
import { figuresOf, versionOf } from './figures.js';
import { followersOf, quantile, readMetrics, valueOf } from './metrics.js';

const TEXT = `# HELP annals_runs runs of the replica now
# TYPE annals_runs gauge
annals_runs{state="running"} 2
annals_runs{state="queued"} 3
annals_log_append_duration_seconds_bucket{le="0.001"} 50
annals_log_append_duration_seconds_bucket{le="0.01"} 90
annals_log_append_duration_seconds_bucket{le="+Inf"} 100
annals_log_append_duration_seconds_sum 1.5
annals_follower_lag_seconds{follower="callbacks"} 4.5
annals_follower_behind{follower="callbacks"} 12
annals_follower_parked{follower="callbacks"} 1
annals_follower_running{follower="callbacks"} 1
annals_runs_requested_total{trigger="request",project="a \\"b\\" \\\\ \\n {x}"} 7 1700000000000
annals_info{version="1.2.0",node="v24.1.0"} 1
nonsense
`;
const samples = readMetrics(TEXT);

describe('the reader of figures', () => {
  test('takes labels with quotes, backslashes and lines in them', () => {
    expect(valueOf(samples, 'annals_runs_requested_total', { project: 'a "b" \\ \n {x}' })).toBe(7);
  });

  test('sums up the samples with the given labels, and knows what is not there', () => {
    expect(valueOf(samples, 'annals_runs')).toBe(5);
    expect(valueOf(samples, 'annals_runs', { state: 'queued' })).toBe(3);
    expect(valueOf(samples, 'annals_nothing')).toBeNull();
  });

  test('finds quantiles between the bounds of buckets, and not beyond the last one', () => {
    const name = 'annals_log_append_duration_seconds';
    expect(quantile(samples, name, 0.5)).toBeCloseTo(0.001, 10);
    expect(quantile(samples, name, 0.7)).toBeCloseTo(0.0055, 10);
    expect(quantile(samples, name, 0.99)).toBe(0.01);
    expect(quantile(samples, 'annals_none', 0.5)).toBeNull();
  });

  test('adds the buckets of several series', () => {
    const two = readMetrics(
      'x_bucket{le="1",mode="a"} 1\nx_bucket{le="1",mode="b"} 1\nx_bucket{le="2",mode="a"} 2\nx_bucket{le="2",mode="b"} 2',
    );
    expect(quantile(two, 'x', 0.5)).toBe(1);
    expect(quantile(two, 'x', 1, { mode: 'a' })).toBe(2);
  });

  test('tells how far each follower is behind', () => {
    expect(followersOf(samples)).toEqual([
      { name: 'callbacks', lagS: 4.5, behind: 12, failures: 0, parked: 1, isRunning: true },
    ]);
  });

  test('gives the figures of the page, and null for those that the key may not read', () => {
    const named = Object.fromEntries(figuresOf(samples).map(({ name, value }) => [name, value]));
    expect(named).toMatchObject({
      'Runs running': 2,
      'Runs queued': 3,
      'Parked events': 1,
      'Disk free': null,
    });
    expect(versionOf(samples)).toBe('1.2.0, Node.js 24.1.0');
    expect(versionOf([])).toBeNull();
  });
});
