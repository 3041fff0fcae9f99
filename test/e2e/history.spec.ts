import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { textOf } from '#demo-model';
import type { Message } from '../support/service-client.js';
import { Gate, before, call, say, thinking } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

/** What the model was told, without the system message. */
const told = (message: string): string[] =>
  stage.book
    .lastAsk(message)
    ?.messages.slice(1)
    .map((m) => `${m.role}: ${textOf(m)}`) ?? [];

describe('the history', () => {
  it('holds at every event what any client was shown', async () => {
    const gates = Array.from({ length: 4 }, () => new Gate());
    const [first, second, third, fourth] = gates as [Gate, Gate, Gate, Gate];
    const message = stage.book.on(
      stage.message('every event'),
      say(
        ...thinking('Hm'),
        before(first),
        'One',
        before(second),
        ' two',
        before(third),
        ...call(0, 'a', 'lookup'),
      ),
      say('Done', before(fourth), '.'),
    );
    const stream = await stage.client.run({ message, streaming_tokens: true });
    const { session } = stream;
    const shown: Message[] = [{ type: 'user_message', content: message }];
    const histories: (readonly Message[])[] = [];
    for (const gate of gates) {
      await gate.reached;
      histories.push(await stage.client.history(session));
      gate.open();
    }
    await stream.closed();
    histories.push(await stage.client.history(session));
    const thought = { type: 'agent_thinking', content: 'Hm' };
    const used = { type: 'agent_tool_use', content: '{"tool":"lookup","input":{}}' };
    const said = (content: string): Message => ({ type: 'agent_response', content });
    // Whether the piece before a closed gate is on the log yet, only the client's own stream tells.
    expect(histories.at(-1)).toEqual([...shown, thought, said('One two'), used, said('Done.')]);
    expect(histories[0]?.[0]).toEqual(shown[0]);
  });

  it('is never behind the event that has just come', async () => {
    const pieces = Array.from({ length: 30 }, (_, n) => `p${n} `);
    const gate = new Gate();
    const message = stage.book.on(stage.message('read-your-writes'), say(...pieces, before(gate), 'end'));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    const checks: Promise<void>[] = [];
    let shown = '';
    stream.onRecord(({ event }) => {
      if (event.type !== 'agent_response') return;
      shown += event.content ?? '';
      const atLeast = shown;
      checks.push(
        stage.client.history(stream.session).then((messages) => {
          expect(messages.at(-1)?.content.startsWith(atLeast)).toBe(true);
        }),
      );
    });
    gate.open();
    await stream.closed();
    await Promise.all(checks);
    expect(checks.length).toBeGreaterThan(0);
  });

  it('has one message a block, whatever the streaming mode', async () => {
    const message = stage.book.on(
      stage.message('modes'),
      say(...thinking('a', 'b'), 'c', 'd', ...call(0, 'x', 'lookup', { q: 1 })),
      say('e', 'f'),
    );
    const [whole, streamed] = await Promise.all(
      [false, true].map((streaming_tokens) => stage.client.runToEnd({ message, streaming_tokens })),
    );
    expect(streamed?.messages).toEqual(whole?.messages);
    expect(whole?.messages).toEqual([
      { type: 'user_message', content: message },
      { type: 'agent_thinking', content: 'ab' },
      { type: 'agent_response', content: 'cd' },
      { type: 'agent_tool_use', content: '{"tool":"lookup","input":{"q":1}}' },
      { type: 'agent_response', content: 'ef' },
    ]);
  });

  it('is what the model is told in the next run', async () => {
    const message = stage.book.on(stage.message('context'), say('Paris.'));
    const { session } = await stage.client.runToEnd({ message, system: 'Be brief.', rules: ['Never lie.'] });
    const next = stage.message('next');
    await stage.client.runToEnd(next, { session });
    expect(told(next)).toEqual([`user: ${message}`, 'assistant: Paris.', `user: ${next}`]);
    const systems = [message, next].map((m) => textOf(stage.book.lastAsk(m)?.messages[0]));
    expect(systems[0]).toContain('Be brief.');
    expect(systems[0]).toContain('Never lie.');
    expect(systems[1]).not.toContain('Never lie.');
  });

  it('is 404 for a session that does not exist, and 400 without one', async () => {
    for (const path of ['/get-messages', '/clear-messages']) {
      expect((await stage.client.post(`${path}?session=ses_nobody`)).status).toBe(404);
      expect((await stage.client.post(`${path}?session=../x`)).status).toBe(404);
      expect((await stage.client.post(path)).status).toBe(400);
    }
  });
});

describe('a clear', () => {
  it('empties history and context, while the events stay', async () => {
    const { session } = await stage.client.runToEnd(stage.message('secret plan'));
    const answer = await stage.client.post(`/clear-messages?session=${session}`);
    expect([answer.status, answer.json()]).toEqual([200, { success: true, message: 'Messages cleared' }]);
    expect(await stage.client.history(session)).toEqual([]);
    const next = stage.message('fresh');
    const { messages } = await stage.client.runToEnd(next, { session });
    expect(messages.map(({ content }) => content)).toEqual([next, `You said: ${next}`]);
    expect(told(next)).toEqual([`user: ${next}`]);
    const stream = await stage.client.follow(`/sessions/${session}`);
    await stream.until(({ event }) => event.content === `You said: ${next}`);
    expect(stream.lines.filter((line) => line === 'agent_started')).toHaveLength(2);
    stream.leave();
  });

  it('hides what the run under way still writes', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('under way'), say('before ', before(gate), 'after'));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    await stream.untilType('agent_response');
    await stage.client.post(`/clear-messages?session=${stream.session}`);
    expect(await stage.client.history(stream.session)).toEqual([]);
    gate.open();
    await stream.closed();
    expect(stream.lines.at(-1)).toBe('agent_completed');
    expect(await stage.client.history(stream.session)).toEqual([]);
    const next = stage.message('after the clear');
    await stage.client.runToEnd(next, { session: stream.session });
    expect(told(next)).toEqual([`user: ${next}`]);
  });
});
