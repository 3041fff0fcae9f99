import { describe, expect, it } from '@jest/globals';
import { type ContextMessage, newRun } from '#domain';
import { CountingRandom } from '../../../../test/support/counting-random.js';
import { DraftSink } from '../../../../test/support/draft-sink.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { ScriptedClient, done, text, thought, toolCall } from '../../../../test/support/scripted-client.js';
import { busy, stored, turnOf } from '../../../../test/support/turn-of.js';
import { ModelFailure } from './model-client.js';
import { ModelTurn, TurnFailed } from './model-turn.js';

const called = {
  type: 'model_called',
  data: {
    kind: 'turn',
    mode: 'base',
    model: 'm',
    input_tokens: 10,
    output_tokens: 5,
    request_chars: 137,
    reported: {},
    price: null,
    cost: '0',
  },
};

describe('a turn of the model', () => {
  it('writes what the model says while it says it, and tells how it ended', async () => {
    const { sink, taken } = turnOf([[thought('hm'), text('6 x'), text(' 7'), done()]]);
    await expect(taken).resolves.toEqual({ calls: [called], data: { finish_reason: 'stop' } });
    expect(sink.lines).toEqual([
      'agent_thinking_start',
      'agent_thinking hm',
      'agent_response_start',
      'agent_response 6 x',
      'agent_response  7',
    ]);
  });

  it('asks with the system message, its rules, and the context as it is', async () => {
    const call = toolCall('c', 't', { a: 1 });
    const messages: ContextMessage[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', callId: 'c', content: 'x' },
    ];
    const { client, taken } = turnOf([[done()]], { messages });
    await taken;
    const [request] = client.requests;
    expect(request).toMatchObject({ model: 'm', reasoningEffort: 'medium', tools: [] });
    const [system, ...rest] = request?.messages ?? [];
    expect(system).toMatchObject({ role: 'system' });
    expect(system?.content).toMatch(/^Be brief\.\n\n.*\n\nRules .*:\n- no lies\n- no jokes$/);
    expect(rest).toEqual(messages);
  });

  it('gives the model the text of content that lies in a file', async () => {
    const { contents } = turnOf([]);
    const large = 'x'.repeat(180_000);
    const content = await contents.store('ses_1', large);
    const client = new ScriptedClient([[done()]]);
    const turn = new ModelTurn(client, new ManualClock(), new CountingRandom('file'));
    const state = newRun({ mode: 'base', model: 'm', message: content, config: {} });
    const room = () => Promise.resolve();
    const run = {
      session: 'ses_1',
      project: 'prj_1',
      key: 'key_1',
      state,
      contents,
      settled: stored,
      hasRoom: true,
      room,
    };
    const messages = [{ role: 'user' as const, content }];
    const signal = new AbortController().signal;
    const sink = new DraftSink();
    await turn.take({ run, sink, messages, tools: [] }, signal);
    expect(client.requests[0]?.messages[1]).toEqual({ role: 'user', content: large });
  });

  it('costs what the price list says of the model, also of a dated version', async () => {
    const cost = async (model: string) => (await turnOf([[done()]], { model }).taken).calls[0]?.data;
    const price = { input: '1.25', cached_input: '0.125', output: '10' };
    expect(await cost('gpt-5')).toMatchObject({ cost: '0.0000625', price });
    expect(await cost('gpt-5-2026-01-01')).toMatchObject({ cost: '0.0000625', price });
    expect(await cost('my-own')).toMatchObject({ cost: '0', price: null });
  });

  it('is asked again only when its failure is on the log, so never by who has lost the run', async () => {
    const lost = new Error('lost');
    const { client, clock, sink, taken } = turnOf([[busy()], [text('b'), done()]], {
      settled: () => Promise.reject(lost),
    });
    await clock.pass(10_000);
    await expect(taken).rejects.toBe(lost);
    expect(sink.lines.at(-1)).toContain('model_turn_failed');
    expect(client.requests.length).toBe(1);
  });

  it('marks a usage that was counted here', async () => {
    const end = { ...done(), usage: { inputTokens: 1, outputTokens: 2, estimated: true } };
    await expect(turnOf([[end as ReturnType<typeof done>]]).taken).resolves.toMatchObject({
      calls: [{ data: { input_tokens: 1, output_tokens: 2, estimated: true } }],
    });
  });

  it('tells calls apart that the server gave one id, or none', async () => {
    const calls = ['a_2', 'a', 'a', '', ''].map((id) => toolCall(id, 't'));
    const { tool_calls = [] } = (await turnOf([[done(...calls)]]).taken).data;
    const ids = tool_calls.map((c) => c.id);
    expect(ids.slice(0, 2)).toEqual(['a_2', 'a']);
    expect(new Set(ids).size).toBe(5);
    expect(ids).not.toContain('');
  });

  it('waits for the journal where too much is to be written', async () => {
    const { client, run, taken, sink } = turnOf([[text('a'), text('b'), done()]]);
    const waits = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    run.hasRoom = false;
    run.room = () => {
      reached.resolve();
      return waits.promise;
    };
    await reached.promise;
    expect(sink.lines).toEqual(['agent_response_start', 'agent_response a']);
    run.hasRoom = true;
    waits.resolve();
    await taken;
    expect(sink.lines.at(-1)).toBe('agent_response b');
    expect(client.requests).toHaveLength(1);
  });
});

describe('a turn that breaks', () => {
  it('is marked and asked again from its start, three times in all', async () => {
    const { client, clock, sink, taken } = turnOf([[text('6'), busy()], [busy()], [text('6 x 7'), done()]]);
    expect(await clock.pass(10_000)).toBe(1000);
    expect(await clock.pass(10_000)).toBe(4000);
    await expect(taken).resolves.toMatchObject({ data: { finish_reason: 'stop' } });
    expect(client.requests).toHaveLength(3);
    expect(client.requests[2]).toEqual(client.requests[0]);
    expect(sink.lines).toEqual([
      'agent_response_start',
      'agent_response 6',
      'model_turn_failed',
      'model_turn_failed',
      'agent_response_start',
      'agent_response 6 x 7',
    ]);
    expect(sink.drafts.filter((d) => d.type === 'model_turn_failed').map((d) => d.data)).toEqual([
      { attempt: 1, error: 'the model is busy' },
      { attempt: 2, error: 'the model is busy' },
    ]);
  });

  it('waits up to half as long again, by chance', async () => {
    const { clock } = turnOf([[busy()], [busy()], [done()]], { jitter: 0.999 });
    expect(await clock.pass(10_000)).toBeCloseTo(1499.5);
    expect(await clock.pass(10_000)).toBeCloseTo(5998);
  });

  it('waits as long as the server asks, but not for ever', async () => {
    const { clock, taken } = turnOf([[busy(7_000)], [busy(3_600_000)], [done()]]);
    expect(await clock.pass(60_000)).toBe(7_000);
    expect(await clock.pass(60_000)).toBe(12_000);
    await taken;
  });

  it('leaves what was said of a block that was to be written as a whole, as a message of its own', async () => {
    const { clock, sink, taken } = turnOf(
      [
        [text('6'), busy()],
        [text('6 x 7'), done()],
      ],
      { streaming: false },
    );
    await clock.pass(10_000);
    await taken;
    expect(sink.lines).toEqual([
      'agent_response_start',
      'agent_response 6',
      'model_turn_failed',
      'agent_response_start',
      'agent_response 6 x 7',
    ]);
  });

  it('fails, retryable, after the third time', async () => {
    const { clock, taken, client } = turnOf([[busy()], [busy()], [busy()], [done()]]);
    await clock.pass(10_000);
    await clock.pass(10_000);
    const failure = await taken.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TurnFailed);
    expect(failure).toMatchObject({
      code: 'model_unavailable',
      isRetryable: true,
      message: 'the model is busy',
    });
    expect(client.requests).toHaveLength(3);
  });

  it.each([
    ['an answer that just stops', [text('a')]],
    ['calls with more arguments than an event holds', [done(toolCall('c', 't', 'x'.repeat(170_000)))]],
    ['calls whose arguments are long in bytes', [done(toolCall('c', 't', '界'.repeat(100_000)))]],
    ['calls whose arguments are long when escaped', [done(toolCall('c', 't', '\u0001'.repeat(50_000)))]],
  ])('is one with %s', async (_, steps) => {
    const { clock, taken, client } = turnOf([steps, [done()]]);
    await Promise.race([clock.pass(10_000), taken]);
    await taken;
    expect(client.requests).toHaveLength(2);
  });

  it('is asked once where the model refuses', async () => {
    const { taken, client } = turnOf([[new ModelFailure('refused', 'no such model')], [done()]]);
    await expect(taken).rejects.toMatchObject({
      name: 'TurnFailed',
      code: 'model_unavailable',
      isRetryable: false,
      message: 'no such model',
    });
    expect(client.requests).toHaveLength(1);
  });

  it('passes on what is no failure of the model', async () => {
    const { taken, client } = turnOf([[new TypeError('a bug')], [done()]]);
    await expect(taken).rejects.toThrow(TypeError);
    expect(client.requests).toHaveLength(1);
  });
});
