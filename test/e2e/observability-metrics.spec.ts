import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { Gate, before, call, say, thinking } from '../support/scripted-model.js';
import type { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const ALERTS = 'deploy/observability/prometheus-alerts.yml';
const DASHBOARD = 'deploy/observability/grafana-dashboard.json';
/** A metric in an expression of PromQL. */
const NAME = /\b(?:annals|nodejs|process)_[a-z0-9_]+\b/g;

let receiver: CallbackReceiver;
let stage: Stage;

beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});

afterAll(async () => {
  await stage.close();
  await receiver.close();
});

class Figures {
  constructor(readonly text: string) {}

  static async read(client = stage.client): Promise<Figures> {
    const answer = await client.get('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    return new Figures(answer.text);
  }

  /** The names of the metrics that there are, with or without a series. */
  get names(): Set<string> {
    return new Set([...this.text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
  }

  /** Every series: its name with its labels, and its value. */
  get series(): Map<string, number> {
    const lines = this.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  }

  /** How much a series has grown since. */
  since(before: Figures, series: string): number {
    return (this.series.get(series) ?? 0) - (before.series.get(series) ?? 0);
  }
}

async function runOfEverything(): Promise<string> {
  const message = stage.book.on(
    stage.message('all'),
    say(...thinking('hm'), 'One', ...call(0, 'c', 'no_such_tool')),
    say('Two'),
  );
  const { run_id } = await stage.client.runToEnd({ message, callback: { url: receiver.url } });
  await receiver.ended(run_id);
  return run_id;
}

describe('/metrics', () => {
  it('needs a key', async () => {
    expect((await stage.client.with('').get('/metrics')).status).toBe(401);
    expect((await stage.client.with('annals_wrong_key_of_nobody').get('/metrics')).status).toBe(401);
  });

  it('counts what a run did, as the log tells it', async () => {
    const before = await Figures.read();
    const run = await runOfEverything();
    const refused = stage.book.on(stage.message('refused'), { kind: 'status', status: 400 });
    expect((await stage.client.runToEnd(refused)).status).toBe('failed');
    const after = await Figures.read();
    const grown = (series: string): number => after.since(before, series);
    expect(grown('annals_runs_requested_total{trigger="request",mode="base",project="default"}')).toBe(2);
    expect(grown('annals_runs_ended_total{status="completed",code="",project="default"}')).toBe(1);
    expect(grown('annals_runs_ended_total{status="failed",code="model_unavailable",project="default"}')).toBe(
      1,
    );
    expect(grown('annals_run_duration_seconds_count{mode="base",status="completed",project="default"}')).toBe(
      1,
    );
    expect(grown('annals_run_first_token_seconds_count{mode="base",project="default"}')).toBe(1);
    expect(grown('annals_run_wait_seconds_count{project="default"}')).toBe(2);
    expect(grown('annals_model_call_duration_seconds_count{model="scripted",outcome="ok"}')).toBe(2);
    expect(grown('annals_model_call_duration_seconds_count{model="scripted",outcome="refused"}')).toBe(1);
    expect(
      grown('annals_model_tokens_total{model="scripted",direction="output",project="default"}'),
    ).toBeGreaterThan(0);
    expect(grown('annals_tool_calls_total{outcome="error",project="default"}')).toBe(1);
    expect(grown('annals_http_requests_total{method="POST",route="/",status="200"}')).toBe(2);
    expect(grown('annals_delivery_attempt_duration_seconds_count{status="2xx"}')).toBe(
      receiver.of(run).length,
    );
    // The log holds more than a client sees.
    const [own, services] = ['default', ''].map((project) => `annals_log_events_total{project="${project}"}`);
    expect(grown(own ?? '')).toBeGreaterThan(receiver.of(run).length);
    expect(grown('annals_log_append_duration_seconds_count')).toBe(grown('annals_log_append_events_count'));
    expect(grown('annals_log_append_events_sum')).toBe(grown(own ?? '') + grown(services ?? ''));
  });

  it('says what the service is now', async () => {
    const { series } = await Figures.read();
    for (const check of ['log', 'database', 'projections'])
      expect(series.get(`annals_check_ok{check="${check}"}`)).toBe(1);
    for (const follower of ['read-models', 'callbacks', 'knowledge']) {
      expect(series.get(`annals_follower_running{follower="${follower}"}`)).toBe(1);
      expect(series.get(`annals_follower_lag_seconds{follower="${follower}"}`)).toBeLessThan(60);
      expect(series.get(`annals_follower_parked{follower="${follower}"}`)).toBe(0);
    }
    const free = series.get('annals_disk_free_bytes') ?? 0;
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThan(series.get('annals_disk_size_bytes') ?? 0);
    expect(series.get('annals_runs{state="running"}')).toBe(0);
    expect(series.get('annals_runs{state="queued"}')).toBe(0);
    expect([...series.keys()].some((name) => name.startsWith('nodejs_eventloop_lag_p99_seconds'))).toBe(true);
  });

  it('has as many series after a hundred runs as after a few, and no id, key or content in them', async () => {
    await runOfEverything();
    await stage.client.get('/runs/run_of_nobody_1');
    const before = (await Figures.read()).series.size;
    const runs: string[] = [];
    for (let n = 0; n < 50; n++) runs.push(await runOfEverything());
    for (let n = 0; n < 50; n++) await stage.client.get(`/runs/run_of_nobody_${n}`);
    for (let n = 0; n < 20; n++) await stage.client.get(`/no/such/path/${n}`);
    await stage.client.get('/metrics');
    const figures = await Figures.read();
    // Paths that do not exist are one route.
    const own = [...figures.series.keys()].filter((name) => name.startsWith('annals_'));
    expect(figures.series.size).toBeLessThan(before + 50);
    for (const word of [...runs, 'ses_', 'run_of_nobody', 'such', ADMIN_KEY, receiver.url])
      expect(own.filter((name) => name.includes(word))).toEqual([]);
  });
});

describe('/metrics of a key', () => {
  const keyOf = async (scopes: readonly string[], project: string): Promise<ServiceClient> => {
    const answer = await stage.client.post('/api-keys', { name: 'k', scopes, project });
    return stage.client.with(answer.json<{ key: string }>().key);
  };
  const TEAM = 'team "a", project="default"';
  const labelOf = (project: string): string => `project=${JSON.stringify(project)}`;

  it('tells of its own project, and of nothing else', async () => {
    const [own, admin, other] = [
      await keyOf(['read', 'run'], TEAM),
      await keyOf(['admin'], TEAM),
      await keyOf(['read'], 'team b'),
    ];
    await own.runToEnd(stage.message('of team a'));
    const { series } = await Figures.read(own);
    expect(series.get(`annals_runs_requested_total{trigger="request",mode="base",${labelOf(TEAM)}}`)).toBe(1);
    expect(
      series.get(`annals_run_duration_seconds_count{mode="base",status="completed",${labelOf(TEAM)}}`),
    ).toBe(1);
    expect([...series.keys()].filter((name) => !name.endsWith(`${labelOf(TEAM)}}`))).toEqual([]);
    expect((await Figures.read(admin)).series).toEqual(series);
    // What another does is not seen, not even that it does anything; a key's issue is an event of its project.
    const before = await Figures.read(other);
    expect([...before.series]).toEqual([[`annals_log_events_total{${labelOf('team b')}}`, 1]]);
    await own.runToEnd(stage.message('once more'));
    expect((await Figures.read(other)).text).toBe(before.text);
    const socket = other.socket();
    socket.end(`${other.head('HEAD', '/metrics', 'Connection: close')}\r\n\r\n`);
    expect(await text(socket)).toContain(`content-length: ${Buffer.byteLength(before.text)}\r\n`);
  });

  it('tells of a project what is going on now', async () => {
    const own = await keyOf(['read', 'run'], 'team c');
    const other = await keyOf(['read', 'run'], 'team d');
    const gate = new Gate();
    const message = stage.book.on(stage.message('held'), say('working ', before(gate), 'done'));
    const held = await own.run({ message, streaming_tokens: true });
    await held.untilType('agent_response');
    const behind = await own.run(stage.message('behind it'), { session: held.session });
    const running = `annals_project_runs{state="running",${labelOf('team c')}}`;
    const queued = `annals_project_runs{state="queued",${labelOf('team c')}}`;
    const isSo = async (ran: number, waited: number): Promise<boolean> => {
      const { series } = await Figures.read(own);
      return series.get(running) === ran && series.get(queued) === waited;
    };
    await until(() => isSo(1, 1));
    expect((await Figures.read(other)).text).not.toContain('team c');
    gate.open();
    await behind.closed();
    await until(() => isSo(0, 0));
  });

  it('tells all to the first admin key, and to the scope metrics, which it alone gives out', async () => {
    const scrape = await keyOf(['metrics'], 'operators');
    const { names, series } = await Figures.read(scrape);
    expect(names).toEqual((await Figures.read()).names);
    for (const name of [
      'process_resident_memory_bytes',
      'annals_log_append_events_count',
      'annals_streams_open',
    ])
      expect(series.has(name)).toBe(true);
    expect([...series.keys()].some((name) => name.includes(labelOf(TEAM)))).toBe(true);
    // It reads nothing else.
    expect((await scrape.get('/runs')).status).toBe(403);
    expect((await (await keyOf(['run', 'datastores', 'approve'], 'p')).get('/metrics')).status).toBe(403);
    const admin = await keyOf(['admin'], TEAM);
    const refused = await admin.post('/api-keys', { name: 'k', scopes: ['read', 'metrics'] });
    expect([refused.status, refused.json<{ code: string }>().code]).toEqual([403, 'forbidden']);
  });
});

describe('the dashboard and the alerts', () => {
  it.each([ALERTS, DASHBOARD])('%s names no metric that is not there', async (file) => {
    const { names } = await Figures.read();
    const named = new Set(readFileSync(file, 'utf8').match(NAME) ?? []);
    expect(named.size).toBeGreaterThan(8);
    const unknown = [...named].filter(
      (name) => !names.has(name) && !names.has(name.replace(/_(?:bucket|sum|count)$/, '')),
    );
    expect(unknown).toEqual([]);
  });

  it('leave out no metric of ours', async () => {
    const { names } = await Figures.read();
    const shown = readFileSync(ALERTS, 'utf8') + readFileSync(DASHBOARD, 'utf8');
    const ours = [...names].filter((name) => name.startsWith('annals_') && !NOT_SHOWN.has(name));
    expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('calls a counter _total, and nothing else', async () => {
    const { text } = await Figures.read();
    const types = [...text.matchAll(/^# TYPE (annals_\S+) (\S+)$/gm)];
    expect(types.length).toBeGreaterThan(20);
    for (const [, name = '', type] of types)
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
  });

  it('say of each alert, and of each metric, in docs what it means', async () => {
    const page = readFileSync('docs/observability.md', 'utf8');
    const alerts = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    expect(alerts.length).toBeGreaterThan(10);
    const { names } = await Figures.read();
    const ours = [...names].filter((name) => name.startsWith('annals_') && !name.startsWith('annals_kafka_'));
    expect([...alerts, ...ours].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('are rules that Prometheus takes', () => {
    const check = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' });
    if (check.error !== undefined) {
      process.stderr.write('promtool is not here: the alerts are not checked by Prometheus itself\n');
      return;
    }
    expect([check.status, check.stdout + check.stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('are a dashboard whose panels have queries of their own', () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      panels: readonly { id: number; type: string; title: string; targets?: readonly { expr: string }[] }[];
    };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, title, targets = [] } of panels)
      expect([title, type === 'row' || targets.every(({ expr }) => expr !== '')]).toEqual([title, true]);
  });
});

/** For looking at by hand. */
const NOT_SHOWN = new Set(['annals_sessions_active']);
