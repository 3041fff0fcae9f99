import { describe, expect, it } from '@jest/globals';
import { PromMetrics } from './prom-metrics.js';

const seriesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

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

describe('the figures of one project', () => {
  /** Names that look like labels, lines and names of others once they are written. */
  const NAMES = ['a', 'b', 'a"', 'a",project="b', 'a\nb', 'a\\', 'other', '}'];

  async function withFigures(): Promise<PromMetrics> {
    const metrics = new PromMetrics();
    metrics.addProcess();
    const runs = metrics.counter({ name: 'runs_total', help: 'Runs.', labels: ['mode', 'project'] });
    const open = metrics.gauge({ name: 'open', help: 'Open.', labels: ['project'] });
    const waits = metrics.histogram({ name: 'wait_s', help: 'W.', labels: ['project'], buckets: [1] });
    metrics.counter({ name: 'log_total', help: 'Of all.' }).add({}, 5);
    metrics.onRead(() => NAMES.forEach((project, n) => open.set({ project }, n)), { isByProject: true });
    NAMES.forEach((project, n) => {
      runs.add({ mode: 'base', project }, n + 1);
      waits.observe({ project }, n);
    });
    return metrics;
  }

  it('are the series with its name, and no others', async () => {
    const metrics = await withFigures();
    for (const [n, project] of NAMES.entries()) {
      const written = JSON.stringify(project);
      expect(seriesOf((await metrics.read(project)).text)).toEqual([
        `runs_total{mode="base",project=${written}} ${n + 1}`,
        `open{project=${written}} ${n}`,
        `wait_s_bucket{le="1",project=${written}} ${n <= 1 ? 1 : 0}`,
        `wait_s_bucket{le="+Inf",project=${written}} 1`,
        `wait_s_sum{project=${written}} ${n}`,
        `wait_s_count{project=${written}} 1`,
      ]);
    }
    for (const nobody of ['', 'c', 'A', '__proto__'])
      expect(seriesOf((await metrics.read(nobody)).text)).toEqual([]);
  });

  it('stand among all figures, as often as they are read', async () => {
    const metrics = await withFigures();
    for (let n = 0; n < 2; n++) {
      await metrics.read('a');
      const all = seriesOf((await metrics.read()).text);
      expect(all).toContain('runs_total{mode="base",project="a"} 1');
      expect(all).toContain('log_total 5');
      expect(all.some((line) => line.startsWith('process_'))).toBe(true);
    }
  });

  it('do not have others look at what is not theirs', async () => {
    const metrics = new PromMetrics();
    let looks = 0;
    metrics.onRead(() => void looks++);
    await metrics.read('a');
    expect(looks).toBe(0);
    await metrics.read();
    expect(looks).toBe(1);
  });

  it('are kept of a bounded number of projects; what others do is counted together, and shown to none of them', async () => {
    const metrics = new PromMetrics();
    const runs = metrics.counter({ name: 'runs_total', help: 'Runs.', labels: ['project'] });
    const open = metrics.gauge({ name: 'open', help: 'Open.', labels: ['project'] });
    for (let n = 0; n < 1_000; n++) {
      runs.add({ project: `p${n}` });
      open.set({ project: `p${n}` }, n);
    }
    const all = seriesOf((await metrics.read()).text);
    expect(all).toHaveLength(201 + 200);
    expect(all).toContain('runs_total{project=""} 800');
    expect(seriesOf((await metrics.read('p199')).text)).toEqual([
      'runs_total{project="p199"} 1',
      'open{project="p199"} 199',
    ]);
    for (const project of ['p200', 'other', ''])
      expect(seriesOf((await metrics.read(project)).text)).toEqual([]);
  });

  it('are bounded for each of them, so that none takes the series of another', async () => {
    const metrics = new PromMetrics();
    const paths = metrics.counter({ name: 'paths_total', help: 'P.', labels: ['path', 'project'] });
    for (let n = 0; n < 1_000; n++) paths.add({ path: `/${n}`, project: 'a' });
    paths.add({ path: '/', project: 'b' });
    const series = seriesOf((await metrics.read('a')).text);
    expect(series).toHaveLength(101);
    expect(series.at(-1)).toBe('paths_total{path="other",project="a"} 900');
    expect(seriesOf((await metrics.read('b')).text)).toEqual(['paths_total{path="/",project="b"} 1']);
  });
});
