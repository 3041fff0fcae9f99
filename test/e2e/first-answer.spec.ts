import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { before, call, Gate, say, thinking } from '../support/scripted-model.js';
import type { SseStream } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open({ env: { MODEL_MAX: 'gpt-5-mini' } })));
afterAll(() => stage.close());

describe('the first answer', () => {
  it('is the documented life of a run, with the ids that the log gave', async () => {
    const message = stage.book.on(stage.message('What is 6 x 7?'), say('6 x 7 is 42.'));
    const stream = await (await stage.client.run({ message, streaming_tokens: true })).closed();
    expect(stream.status).toBe(200);
    expect(stream.end).toBe('ended');
    expect(stream.lines).toEqual([
      'agent_started',
      'agent_response_start',
      'agent_response 6 x 7 is 42.',
      'agent_step 1',
      'agent_cost 0',
      'agent_completed',
    ]);
    // 0 and 1 open the session and request the run, 2 is its claim, 6 and 7 the turn's own records.
    expect(stream.ids).toEqual([3, 4, 5, 8, 9, 10]);
    expect(new Set(stream.records.map(({ event }) => event.session))).toEqual(new Set([stream.session]));
  });

  it('carries exactly the documented fields', async () => {
    const message = stage.book.on(stage.message('fields'), say('Hello.'));
    const stream = await (await stage.client.run(message)).closed();
    const { session } = stream;
    expect(stream.records.map(({ json }) => json)).toEqual([
      `{"type":"agent_started","session":"${session}"}`,
      `{"type":"agent_response_start","session":"${session}"}`,
      `{"type":"agent_response","session":"${session}","content":"Hello."}`,
      `{"type":"agent_step","session":"${session}","step":"1"}`,
      `{"type":"agent_cost","session":"${session}","cost":"0"}`,
      `{"type":"agent_completed","session":"${session}"}`,
    ]);
  });

  it('says where the run is and that nobody may buffer it', async () => {
    const { headers, run, session, ...stream } = await (
      await stage.client.run(stage.message('headers'))
    ).closed();
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['x-accel-buffering']).toBe('no');
    expect(headers['content-location']).toBe(`/runs/${run}`);
    expect(run.startsWith(`run_${session}_`)).toBe(true);
    expect(stream.end).toBe('ended');
  });

  it('shows thinking in every mode, in blocks of its own', async () => {
    for (const mode of ['flash', 'base', 'max', 'fast']) {
      const message = stage.book.on(stage.message(`think ${mode}`), say(...thinking('Hmm', '…'), 'Done.'));
      const stream = await (await stage.client.run({ message, mode })).closed();
      expect(stream.lines.slice(0, 5)).toEqual([
        'agent_started',
        'agent_thinking_start',
        'agent_thinking Hmm…',
        'agent_response_start',
        'agent_response Done.',
      ]);
    }
  });

  it('streams pieces that, joined, are the block, and gives whole blocks otherwise', async () => {
    const pieces = Array.from({ length: 200 }, (_, n) => `piece ${n}, `);
    // Pieces that come at once may be told as one, so the last ones come when the first have been seen.
    const gate = new Gate();
    const message = stage.book.on(
      stage.message('pieces'),
      say(...thinking('let ', 'me see'), ...pieces.slice(0, 100), before(gate), ...pieces.slice(100)),
    );
    const [streamed, whole] = await Promise.all([
      stage.client.run({ message, streaming_tokens: true }),
      stage.client.run({ message }),
    ]);
    await streamed.untilType('agent_response');
    gate.open();
    await Promise.all([streamed.closed(), whole.closed()]);
    const texts = (stream: SseStream): (string | undefined)[] =>
      stream.records.filter(({ event }) => event.type === 'agent_response').map(({ event }) => event.content);
    expect(texts(whole)).toEqual([pieces.join('')]);
    expect(texts(streamed).length).toBeGreaterThan(1);
    expect(texts(streamed).join('')).toBe(pieces.join(''));
  });

  it('tells tool uses before their responses, each turn closed by its step', async () => {
    const message = stage.book.on(
      stage.message('tools'),
      say('Let me look.', ...call(0, 'a', 'lookup', { key: 'x' }), ...call(1, 'b', 'other', {})),
      say('There is no such thing.'),
    );
    const stream = await (await stage.client.run(message)).closed();
    expect(stream.lines).toEqual([
      'agent_started',
      'agent_response_start',
      'agent_response Let me look.',
      'agent_tool_use_start',
      'agent_tool_use {"tool":"lookup","input":{"key":"x"}}',
      'agent_tool_use_start',
      'agent_tool_use {"tool":"other","input":{}}',
      'agent_tool_response {"tool":"lookup","content":"there is no tool called lookup"}',
      'agent_tool_response {"tool":"other","content":"there is no tool called other"}',
      'agent_step 1',
      'agent_response_start',
      'agent_response There is no such thing.',
      'agent_step 2',
      'agent_cost 0',
      'agent_completed',
    ]);
  });

  it('is one JSON object with the whole session for those who ask for JSON', async () => {
    const message = stage.book.on(stage.message('json'), say('One.'));
    const first = await stage.client.runToEnd(message);
    expect(first).toEqual({
      session: first.session,
      run_id: first.run_id,
      status: 'completed',
      response: 'One.',
      cost: '0',
      usage: expect.objectContaining({ model_calls: 1, unpriced_calls: 1 }),
      messages: [
        { type: 'user_message', content: message },
        { type: 'agent_response', content: 'One.' },
      ],
      task_ids: [],
      warnings: [],
    });
    const second = await stage.client.runToEnd('and then?', { session: first.session });
    expect(second.messages.map(({ content }) => content)).toEqual([
      message,
      'One.',
      'and then?',
      'You said: and then?',
    ]);
  });

  it('is 202 at once in the background, and the run goes on', async () => {
    const answer = await stage.client.post('/', { message: stage.message('background'), background: true });
    expect(answer.status).toBe(202);
    const accepted = answer.json<{ session: string; run_id: string }>();
    expect(accepted).toEqual({ ...accepted, status: 'queued', task_ids: [] });
    expect(answer.headers['content-location']).toBe(`/runs/${accepted.run_id}`);
    const stream = await (await stage.client.follow(`/runs/${accepted.run_id}`)).closed();
    expect(stream.lines.at(-1)).toBe('agent_completed');
  });

  it('costs what the tokens of a model with a price cost', async () => {
    const priced = { ...say('Paid.'), usage: { input: 1000, output: 100 } };
    const message = stage.book.on(stage.message('cost'), priced);
    const { cost } = await stage.client.runToEnd({ message, mode: 'max' });
    // gpt-5-mini: 0.25 and 2.00 dollars a million tokens
    expect(cost).toBe('0.00045');
  });
});
