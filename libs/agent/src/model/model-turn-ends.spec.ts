import { describe, expect, it } from '@jest/globals';
import type { ContextMessage, RunWarning } from '#domain';
import { done, text, toolCall } from '../../../../test/support/scripted-client.js';
import { busy, turnOf } from '../../../../test/support/turn-of.js';
import { ModelFailure } from './model-client.js';

describe('a context that the model finds too long', () => {
  it('fails the turn at once, not retryable', async () => {
    const { taken, client, sink, clock } = turnOf([
      [new ModelFailure('too_long', 'the context is too long')],
    ]);
    await expect(taken).rejects.toMatchObject({ code: 'context_too_long', isRetryable: false });
    expect(client.requests).toHaveLength(1);
    expect(sink.drafts).toEqual([]);
    expect(clock.pending).toEqual([]);
  });
});

describe('an abort', () => {
  it.each([
    ['while the model hangs', [['hang' as const]]],
    ['in the middle of an answer', [[text('a'), 'hang' as const]]],
  ])('ends the turn with its reason %s', async (_, script) => {
    const { taken, controller, client } = turnOf(script);
    await client.asked(1);
    controller.abort(new Error('cancelled'));
    await expect(taken).rejects.toThrow('cancelled');
  });

  it('leaves what was said of a block that was to be written as a whole', async () => {
    const { taken, controller, client, sink } = turnOf([[text('6 x '), text('7'), 'hang']], {
      streaming: false,
    });
    await client.asked(1);
    await new Promise(setImmediate);
    controller.abort(new Error('cancelled'));
    await expect(taken).rejects.toThrow('cancelled');
    expect(sink.lines).toEqual(['agent_response_start', 'agent_response 6 x 7']);
  });

  it('ends the wait before the next attempt', async () => {
    const { taken, controller, clock, client } = turnOf([[busy()], [done()]]);
    await clock.timerWithin(10_000);
    controller.abort(new Error('cancelled'));
    await expect(taken).rejects.toThrow('cancelled');
    expect(client.requests).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });
});

describe('an answer that the server cut', () => {
  it.each(['length', 'content_filter'] as const)('is told of with its reason: %s', async (finishReason) => {
    const end = { ...done(), finishReason };
    const { taken, sink } = turnOf([[text('as far as'), end]]);
    await expect(taken).resolves.toMatchObject({ data: { finish_reason: finishReason } });
    const content = JSON.stringify({ code: 'answer_cut', reason: finishReason });
    expect(sink.drafts.at(-1)).toEqual({ type: 'agent_warning', data: { content } });
  });

  it('keeps what shows that a call was cut', async () => {
    const end = { ...done({ ...toolCall('c', 't', '{"a"'), isCut: true }), finishReason: 'length' as const };
    await expect(turnOf([[end]]).taken).resolves.toMatchObject({
      data: {
        tool_calls: [{ id: 'c', name: 't', arguments: '{"a"', cut: true }],
      },
    });
  });
});

describe('tools for which the server has no room', () => {
  const answer = [{ kind: 'left_out' as const, tools: ['b', 'c'] }, text('well'), done()];

  it('are told of once in a run, before anything of the turn', async () => {
    const { taken, sink } = turnOf([answer]);
    await taken;
    const [warning, next] = sink.drafts;
    expect(next?.type).toBe('agent_response_start');
    expect(warning?.type).toBe('agent_warning');
    const told = JSON.parse((warning as { data: { content: string } }).data.content) as RunWarning;
    expect(told).toMatchObject({ code: 'tools_left_out', tools: ['b', 'c'] });
    const again = turnOf([answer], { warnings: [told] });
    await again.taken;
    expect(again.sink.drafts.map(({ type }) => type)).not.toContain('agent_warning');
  });

  it('are told of with their servers, one after the other', async () => {
    const serverOf = (tool: string) => (tool === 'b' ? 'shop' : undefined);
    const { taken, sink } = turnOf([answer], { serverOf });
    await taken;
    const told = sink.drafts.slice(0, 2).map(({ data }) => JSON.parse((data as { content: string }).content));
    expect(told).toMatchObject([{ server: 'shop', tools: ['b'] }, { tools: ['c'] }]);
    expect(told[1]).not.toHaveProperty('server');
  });
});

describe('what the server sent besides', () => {
  const endWith = (provider: string) => ({ ...done(toolCall('c', 't')), provider });
  const user = { role: 'user', content: 'hi' } as const;

  it.each([
    [100, 'in the event'],
    [200 * 1024, 'in a file'],
  ])('is kept with the turn, %i characters %s, and told to the model with it', async (size) => {
    const provider = JSON.stringify({ server: 's', model: 'm', message: { foo: 'ä'.repeat(size / 2) } });
    const { taken, sink, contents, client } = turnOf([[endWith(provider)]]);
    const kept = (await taken).data.provider!;
    expect(typeof kept === 'string').toBe(size === 100);
    expect(await contents.text('ses_1', kept)).toBe(provider);
    expect(sink.drafts).toEqual([]);
    expect(client.requests).toHaveLength(1);
    // Of a file of its own for each of the two.
    const toolCalls = [toolCall('c', 't')];
    const said: ContextMessage = { role: 'assistant', content: '', toolCalls, provider: kept };
    const next = turnOf([[done()]], { messages: [user, said], contents });
    await next.taken;
    expect(next.client.requests[0]?.messages.at(-1)).toEqual({ ...said, provider });
  });

  it('is dropped where it is more than 256 KB, and that is told', async () => {
    const { taken, sink } = turnOf([[endWith('x'.repeat(256 * 1024 + 1))]]);
    expect(await taken).not.toHaveProperty('provider');
    expect(sink.lines).toEqual([expect.stringContaining('agent_warning {"code":"provider_fields_dropped"')]);
  });
});

describe('text that turns out to be thinking', () => {
  it('is told as thinking where no client has seen it, and is no part of the context where one has', async () => {
    const script = [[text('hm'), { kind: 'was_thinking' as const }, text('yes'), done()]];
    const whole = turnOf(script, { streaming: false });
    await whole.taken;
    expect(whole.sink.lines).toEqual([
      'agent_response_start',
      'agent_thinking_start',
      'agent_thinking hm',
      'agent_response_start',
      'agent_response yes',
    ]);
    const streamed = turnOf(script);
    await streamed.taken;
    expect(streamed.sink.lines).toEqual([
      'agent_response_start',
      'agent_response hm',
      'model_turn_failed',
      'agent_response_start',
      'agent_response yes',
    ]);
  });
});
