import { expect, it } from '@jest/globals';
import { bucketCounts } from './bucket-counts.js';
import { PromMetrics } from './prom-metrics.js';

it('tells what is in each bucket by itself, of each series', async () => {
  const metrics = new PromMetrics();
  const times = metrics.histogram({ name: 't_seconds', help: 't', labels: ['of'], buckets: [1, 2, 5] });
  for (const value of [0.5, 1, 1.5, 4, 9, 10]) times.observe({ of: 'a' }, value);
  times.observe({ of: 'b' }, 3);
  const [figures] = await metrics.figures();
  expect(figures?.type).toBe('histogram');
  expect(bucketCounts('t_seconds', figures?.values ?? [])).toEqual([
    { labels: { of: 'a' }, boundaries: [1, 2, 5], counts: [2, 1, 1, 2], sum: 26, count: 6 },
    { labels: { of: 'b' }, boundaries: [1, 2, 5], counts: [0, 0, 1, 0], sum: 3, count: 1 },
  ]);
});

it('has counters handed over before they are read', async () => {
  const metrics = new PromMetrics();
  metrics.counter({ name: 'events_total', help: 'e', labels: ['kind'] }).add({ kind: 'a' }, 2);
  expect(await metrics.figures()).toMatchObject([
    { name: 'events_total', help: 'e', type: 'counter', values: [{ labels: { kind: 'a' }, value: 2 }] },
  ]);
});
