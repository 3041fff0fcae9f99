import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackReceiver } from '../support/callback-receiver.js';
import { McpFixture, text } from '../support/mcp-servers/mcp-fixture.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const OUR_TRACE = '0af7651916cd43dd8448eb211c80319c';
const OUR_SPAN = 'b7ad6b7169203331';
const TRACEPARENT = `00-${OUR_TRACE}-${OUR_SPAN}-01`;
const RUN = 'invoke_agent annals';
const SERVER = 2;
const CLIENT = 3;

let collector: OtlpReceiver;
let receiver: CallbackReceiver;
let stage: Stage;

beforeAll(async () => {
  collector = await OtlpReceiver.start();
  receiver = await CallbackReceiver.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'debug' };
  stage = await Stage.open({ env });
});

afterAll(async () => {
  await stage.close();
  await receiver.close();
  await collector.close();
});

const spansOf = (run: string): ReceivedSpan[] => {
  const trace = collector.spans.find(
    ({ name, attributes }) => name === RUN && attributes['annals.run.id'] === run,
  );
  return collector.spans.filter(({ traceId }) => traceId === trace?.traceId);
};

const ended = (run: string): boolean =>
  collector.spans.some(({ name, attributes }) => name === RUN && attributes['annals.run.id'] === run);

describe('the trace of a run', () => {
  it('goes on in the process that takes the run up after a kill, from the request to the last callback', async () => {
    const gate = new Gate();
    const secrets = [
      'the-word-of-the-caller',
      'the-word-of-the-model',
      'token-in-the-address',
      'key-of-the-hook',
    ];
    const [ours = '', theirs = ''] = secrets;
    const message = stage.book.on(
      stage.message(ours),
      say(`${theirs} `, ...call(0, 'call_1', 'transfer_to_expert')),
      (attempt) => (attempt === 0 ? say('half', before(gate), 'never') : say('whole')),
    );
    const stream = await stage.client.run(
      {
        message,
        streaming_tokens: true,
        agents: [{ name: 'expert', description: 'knows' }],
        callback: { url: `${receiver.url}?t=token-in-the-address`, headers: { 'x-key': 'key-of-the-hook' } },
      },
      { headers: { traceparent: TRACEPARENT } },
    );
    await gate.reached;
    await collector.until(
      'the first turn',
      () => collector.named('execute_tool transfer_to_expert').length > 0,
    );
    const { run } = stream;
    await stage.service.kill('SIGKILL');
    const heard = receiver.of(run).length;
    await stage.service.launch();
    gate.open();
    await receiver.ended(run);
    // What the first process sent in its last second is lost with it; of the second everything is there.
    const later = receiver.of(run).slice(heard);
    expect(later.length).toBeGreaterThan(3);
    const hooksAre = (parents: readonly string[]): boolean =>
      parents.every((parent) =>
        collector.spans.some(
          ({ name, traceId, spanId }) =>
            name === 'deliver callback' && parent === `00-${traceId}-${spanId}-01`,
        ),
      );
    const parents = later.map(({ headers }) => String(headers['traceparent']));
    await collector.until('the end', () => ended(run) && hooksAre(parents));

    const spans = collector.spans.filter(({ traceId }) => traceId === OUR_TRACE);
    const [driven, ...others] = spans.filter(({ name }) => name === RUN);
    if (driven === undefined) throw new Error('the run has no span');
    expect(others).toEqual([]);
    expect(driven.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': stream.session,
      'annals.run.id': run,
      'annals.run.status': 'completed',
      'annals.run.epoch': 2,
    });
    // The request's own span died with the process, for its answer had not ended: what it caused says whose it was.
    expect(spans.filter(({ kind }) => kind === SERVER)).toEqual([]);
    const below = spans.filter(({ parentSpanId }) => parentSpanId === driven.spanId);
    const chats = below.filter(({ name }) => name === 'chat scripted');
    expect(chats.map(({ kind, attributes }) => [kind, attributes['gen_ai.response.finish_reasons']])).toEqual(
      [
        [CLIENT, ['tool_calls']],
        [CLIENT, ['stop']],
      ],
    );
    // Before the kill and after it: two processes, one trace.
    expect(new Set(chats.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    expect(below.find(({ name }) => name.startsWith('execute_tool'))?.attributes).toMatchObject({
      'gen_ai.tool.name': 'transfer_to_expert',
      'gen_ai.tool.call.id': 'call_1',
    });
    const hooks = below.filter(({ name }) => name === 'deliver callback');
    expect(hooks.length).toBeGreaterThanOrEqual(later.length);
    for (const parent of parents) expect(parent).toMatch(new RegExp(`^00-${OUR_TRACE}-`));
    for (const secret of [...secrets, ADMIN_KEY, 'whsec_'])
      for (const body of collector.bodies) expect(body).not.toContain(secret);
  });

  it('has the span of its request above it, which the caller’s is above', async () => {
    const { run_id } = await stage.client.runToEnd(stage.message('plain'), {
      headers: { traceparent: `00-${'1'.repeat(32)}-${OUR_SPAN}-01`, 'x-request-id': 'req-of-the-test' },
    });
    const isThere = () =>
      ended(run_id) && collector.named('POST /').some((s) => s.traceId === '1'.repeat(32));
    await collector.until('the request', isThere);
    const spans = spansOf(run_id);
    const request = spans.find(({ kind }) => kind === SERVER);
    const driven = spans.find(({ name }) => name === RUN);
    expect(request).toMatchObject({ name: 'POST /', traceId: '1'.repeat(32), parentSpanId: OUR_SPAN });
    expect(request?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/',
      'http.response.status_code': 200,
      'annals.request.id': 'req-of-the-test',
    });
    expect(driven?.parentSpanId).toBe(request?.spanId);
    // What the log says of the run names its request, and its trace.
    const line = lines().find(({ msg, run }) => msg === 'run ended' && run === run_id);
    expect(line).toMatchObject({ request: 'req-of-the-test', trace_id: '1'.repeat(32) });
    expect(
      lines().find(({ msg, request }) => msg === 'request' && request === 'req-of-the-test'),
    ).toMatchObject({
      trace_id: '1'.repeat(32),
    });
  });

  it('sums up its tokens, names who was asked and where, and goes on in tool servers', async () => {
    const metas: Record<string, unknown>[] = [];
    const server = await McpFixture.start({
      tools: [{ name: 'echo', run: () => text('heard') }],
      intercept: (_, __, body) => {
        const { method, params } = JSON.parse(body || '{}') as {
          method?: string;
          params?: { _meta?: Record<string, unknown> };
        };
        if (method === 'tools/call') metas.push(params?._meta ?? {});
        return false;
      },
    });
    try {
      const message = stage.book.on(
        stage.message('counted'),
        { steps: call(0, 'call_1', 'echo'), usage: { input: 100, output: 20 } },
        { steps: ['Done.'], usage: { input: 130, output: 5 } },
      );
      const mcp_servers = [{ serverName: 'echoes', serverUrl: server.url }];
      const { run_id, status } = await stage.client.runToEnd({ message, mcp_servers });
      expect(status).toBe('completed');
      await collector.until('the end', () => ended(run_id));
      const spans = spansOf(run_id);
      const driven = spans.find(({ name }) => name === RUN);
      expect(driven?.attributes).toMatchObject({
        'gen_ai.provider.name': 'openai',
        'gen_ai.usage.input_tokens': 230,
        'gen_ai.usage.output_tokens': 25,
      });
      const { hostname, port } = new URL(stage.model.url);
      const chats = spans.filter(({ name }) => name === 'chat scripted');
      expect(chats).toHaveLength(2);
      for (const { attributes } of chats)
        expect(attributes).toMatchObject({ 'server.address': hostname, 'server.port': Number(port) });
      const tool = spans.find(({ name }) => name.startsWith('execute_tool'));
      expect(metas).toEqual([
        expect.objectContaining({ traceparent: `00-${tool?.traceId}-${tool?.spanId}-01` }),
      ]);
    } finally {
      await server.close();
    }
  });

  it('is the caller’s, and not recorded, where the caller says so; nonsense begins a new one', async () => {
    const seen = collector.spans.length;
    const quiet = { traceparent: `00-${'2'.repeat(32)}-${OUR_SPAN}-00` };
    await stage.client.runToEnd(stage.message('quiet'), { headers: quiet });
    const nonsense = { traceparent: `00-${'0'.repeat(32)}-${OUR_SPAN}-01` };
    const { run_id } = await stage.client.runToEnd(stage.message('loud'), { headers: nonsense });
    await collector.until('the loud one', () => ended(run_id));
    const later = collector.spans.slice(seen);
    expect(later.map(({ traceId }) => traceId)).not.toContain('2'.repeat(32));
    expect(later.map(({ traceId }) => traceId)).not.toContain('0'.repeat(32));
  });

  it('tells why a run failed', async () => {
    const message = stage.book.on(stage.message('refused'), {
      kind: 'status',
      status: 400,
      body: { error: { message: 'no such thing' } },
    });
    const { run_id, status } = await stage.client.runToEnd(message);
    expect(status).toBe('failed');
    await collector.until('the failed run', () => ended(run_id));
    const failed = spansOf(run_id).filter(({ isError }) => isError);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['chat scripted', 'refused'],
      [RUN, 'model_unavailable'],
    ]);
  });

  it('costs no run anything while the collector is away', async () => {
    const away = await OtlpReceiver.start(503);
    const other = await Stage.open({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: away.url } });
    try {
      expect((await other.client.runToEnd('still there?')).status).toBe('completed');
      const exit = await other.service.kill('SIGTERM');
      expect([exit, other.service.output.slice(-2_000)]).toEqual([
        { code: 0, signal: null },
        expect.stringContaining('"stopped"'),
      ]);
      expect(away.bodies.length).toBeGreaterThan(0);
    } finally {
      await other.close();
      await away.close();
    }
  });
});

describe('figures', () => {
  it('are sent to the collector, the last ones when the service stops', async () => {
    const own = await OtlpReceiver.start();
    const other = await Stage.open({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: own.url } });
    try {
      await other.client.runToEnd('count me');
      expect(await other.service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      await own.until('the figures', () => own.metrics.has('annals_runs_ended_total'));
      const { sum } = own.metrics.get('annals_runs_ended_total') ?? {};
      expect(sum).toMatchObject({ isMonotonic: true, dataPoints: [{ asDouble: 1 }] });
      const waits = own.metrics.get('annals_run_wait_seconds');
      expect(waits?.unit).toBe('s');
      const [point] = waits?.histogram?.dataPoints ?? [];
      expect(Number(point?.count)).toBe(1);
      expect(point?.bucketCounts).toHaveLength((point?.explicitBounds.length ?? 0) + 1);
      expect(own.metrics.get('process_resident_memory_bytes')?.gauge?.dataPoints).toHaveLength(1);
    } finally {
      await other.close();
      await own.close();
    }
  });
});

const lines = (): Record<string, unknown>[] =>
  stage.service.output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
