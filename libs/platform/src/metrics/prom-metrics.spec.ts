import { describe, expect, it } from '@jest/globals';
import { PromMetrics } from './prom-metrics.js';

describe('PromMetrics', () => {
  it('writes what was counted, set and observed in the text format of Prometheus', async () => {
    const metrics = new PromMetrics();
    const runs = metrics.counter({ name: 'annals_runs_total', help: 'Runs.', labels: ['mode', 'status'] });
    runs.add({ mode: 'base', status: 'completed' });
    runs.add({ mode: 'base', status: 'completed' }, 2);
    metrics.gauge({ name: 'annals_open', help: 'Open.' }).set({}, 7);
    metrics.histogram({ name: 'annals_s', help: 'Time.', buckets: [1, 2] }).observe({}, 1.5);
    const { contentType, text } = await metrics.read();
    expect(contentType).toMatch(/^text\/plain/);
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'annals_runs_total{mode="base",status="completed"} 3',
      'annals_open 7',
      'annals_s_bucket{le="1"} 0',
      'annals_s_bucket{le="2"} 1',
      'annals_s_bucket{le="+Inf"} 1',
      'annals_s_sum 1.5',
      'annals_s_count 1',
    ]);
  });

  it('keeps a bounded number of series; what comes beyond is counted together', async () => {
    const metrics = new PromMetrics();
    const paths = metrics.counter({ name: 'annals_paths_total', help: 'Paths.', labels: ['path'] });
    for (let n = 0; n < 2_000; n++) paths.add({ path: `/${n}` });
    const { text } = await metrics.read();
    const series = text.split('\n').filter((line) => line.startsWith('annals_paths_total{'));
    expect(series.length).toBe(501);
    expect(series.at(-1)).toBe('annals_paths_total{path="other"} 1500');
  });

  it('looks again at each reading, and goes on where a look fails', async () => {
    const metrics = new PromMetrics();
    const gauge = metrics.gauge({ name: 'annals_looks', help: 'Looks.' });
    let looks = 0;
    metrics.onRead(() => Promise.reject(new Error('not now')));
    metrics.onRead(() => gauge.set({}, ++looks));
    await metrics.read();
    expect((await metrics.read()).text).toContain('annals_looks 2');
  });

  it('knows nothing of another in the same process', async () => {
    const terms = { name: 'annals_same_total', help: 'The same name.' };
    const [one, two] = [new PromMetrics(), new PromMetrics()];
    one.counter(terms).add({});
    two.counter(terms).add({}, 5);
    expect((await one.read()).text).toContain('annals_same_total 1');
    expect((await two.read()).text).toContain('annals_same_total 5');
  });

  it('refuses a name that is taken', () => {
    const metrics = new PromMetrics();
    metrics.counter({ name: 'annals_twice_total', help: 'Once.' });
    expect(() => metrics.gauge({ name: 'annals_twice_total', help: 'Twice.' })).toThrow(
      /already been registered/,
    );
  });
});

it('refuses to count nonsense, and shows all figures as before', async () => {
  const metrics = new PromMetrics();
  const odd = metrics.counter({ name: 'odd_total', help: 'odd' });
  const even = metrics.counter({ name: 'even_total', help: 'even' });
  for (const by of [Number.NaN, -1]) expect(() => odd.add({}, by)).toThrow(RangeError);
  even.add({}, 2);
  expect((await metrics.read()).text).toContain('even_total 2');
  odd.add({}, 1);
  expect((await metrics.read()).text).toContain('odd_total 1');
});
