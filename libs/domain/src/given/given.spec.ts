import { describe, expect, it } from '@jest/globals';
import { PROJECT, SessionTape, cancelled, completed, opened } from '../../../../test/support/session-tape.js';
import { EXPIRES_AT, askingTurn, asks, parked } from '../../../../test/support/waiting-tape.js';
import { actionId } from '../actions/action-ids.js';
import { decideExpiry } from '../actions/decide-action.js';
import { asOf } from '../as-of/as-of.js';
import { IMAGE_CHARS, sizeOf } from '../context-message.js';
import type { GivenItem } from './given-item.js';
import { givenMessages } from './given-messages.js';

const said = (role: 'user' | 'assistant' | 'developer', text: string): GivenItem => ({
  kind: 'message',
  role,
  parts: [{ kind: 'text', text }],
});
const call = (id: string): GivenItem => ({ kind: 'call', id, name: 'look', arguments: '{"a":1}' });
const result = (id: string): GivenItem => ({ kind: 'result', id, output: `of ${id}` });

describe('given items', () => {
  it('are messages with each result behind its call, wherever it stood', () => {
    const items = [
      said('developer', 'be kind'),
      said('assistant', 'hm'),
      call('a'),
      call('b'),
      said('user', 'and?'),
    ];
    expect(givenMessages([...items, result('b'), result('a')])).toEqual([
      { role: 'system', content: 'be kind' },
      {
        role: 'assistant',
        content: 'hm',
        toolCalls: ['a', 'b'].map((id) => ({ id, name: 'look', arguments: '{"a":1}' })),
      },
      { role: 'tool', callId: 'b', content: 'of b' },
      { role: 'tool', callId: 'a', content: 'of a' },
      { role: 'user', content: 'and?' },
    ]);
  });

  it('keep the parts of a message that is more than one text', () => {
    const parts = [
      { kind: 'text', text: 'what is ' },
      { kind: 'image', url: 'https://example.org/a.png' },
      { kind: 'text', text: 'this?' },
    ] as const;
    const [message] = givenMessages([{ kind: 'message', role: 'user', parts }]);
    expect(message).toEqual({ role: 'user', content: 'what is this?', parts });
    expect(sizeOf(message!)).toBe('what is this?'.length + IMAGE_CHARS);
  });

  it('are what a run begins with, in context and history, in the place of its message', () => {
    const items = [
      said('user', 'one'),
      said('assistant', 'two'),
      call('a'),
      result('a'),
      said('user', 'three'),
    ];
    const run = 'run_ses_1_a';
    const { events } = new SessionTape()
      .add(undefined, opened)
      .addRun(run, 'three', completed)
      .add(undefined, { type: 'items_given', data: { items: [said('user', 'added')] } });
    const given = events.map((event) =>
      event.type === 'run_requested' ? { ...event, data: { ...event.data, items } } : event,
    );
    const seen = asOf('ses_1', given);
    expect(seen.context.map(({ role, content }) => `${role} ${content as string}`)).toEqual([
      'user one',
      'assistant two',
      'tool of a',
      'user three',
      'user added',
    ]);
    expect(seen.messages.map(({ type }) => type)).toEqual([
      'user_message',
      'agent_response',
      'agent_tool_use',
      'user_message',
      'user_message',
    ]);
  });

  it('that come while a run is under way are told to those that come after it', () => {
    const tape = new SessionTape().add(undefined, opened).addRun('run_ses_1_a', 'hi');
    tape.add(undefined, { type: 'items_given', data: { items: [said('user', 'added')] } });
    expect(asOf('ses_1', tape.events).context).toHaveLength(1);
    const { events } = tape.add('run_ses_1_a', cancelled);
    expect(asOf('ses_1', events).context.at(-1)).toEqual({ role: 'user', content: 'added' });
  });
});

describe('a run that nobody would read', () => {
  const run = 'run_ses_1_a';
  const tape = () =>
    new SessionTape()
      .add(undefined, opened)
      .addRun(run, 'hi', askingTurn({ c1: 'caller' }), asks(run, 0, 'tool'));
  const expired = ({ state }: SessionTape) =>
    decideExpiry(
      { ...state, current: state.current && { ...state.current, endsUnheard: true } },
      actionId(run, 0),
      EXPIRES_AT,
    ).map(({ type }) => type);

  it('ends when what it waits for expires, by whoever drives it', () => {
    expect(expired(tape().add(run, parked))).toEqual([
      'agent_action_resolved',
      'tool_call_completed',
      'agent_cost',
      'agent_cancelled',
    ]);
    expect(expired(tape())).toEqual(['agent_action_resolved', 'tool_call_completed', 'run_cancel_requested']);
    expect(tape().state.project).toBe(PROJECT);
  });
});
