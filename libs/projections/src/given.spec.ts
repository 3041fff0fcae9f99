import { describe, expect, it } from '@jest/globals';
import {
  type Draft,
  type Content,
  actionId,
  decideExpiry,
  IMAGE_CHARS,
  sizeOf,
  type GivenItem,
  decideStart,
  decideTakeOver,
  givenMessages,
  uncalled,
  unpaired,
} from '#domain';
import {
  PROJECT,
  SessionTape,
  cancelRequested,
  cancelled,
  completed,
  opened,
  requested,
  response,
  responseStart,
  runRequest,
} from '../../../test/support/session-tape.js';
import { EXPIRES_AT, askingTurn, asks, parked } from '../../../test/support/waiting-tape.js';
import { asOf } from './as-of/as-of.js';

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
    expect(givenMessages([...items, result('b'), result('a')]).messages).toEqual([
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
    const [message] = givenMessages([{ kind: 'message', role: 'user', parts }]).messages;
    expect(message).toEqual({ role: 'user', content: 'what is this?', parts });
    expect(sizeOf(message!)).toBe('what is this?'.length + IMAGE_CHARS);
  });

  it('are one text of a system message or an assistant, also where a part of it lies in a file', () => {
    const file: Content = { $file: 'f', bytes: 3 };
    const toldOf = (role: 'assistant' | 'developer', ...texts: Content[]) =>
      givenMessages([{ kind: 'message', role, parts: texts.map((text) => ({ kind: 'text', text })) }])
        .messages;
    expect(toldOf('developer', 'a', 'b')).toEqual([{ role: 'system', content: 'ab' }]);
    expect(toldOf('assistant', 'a', 'b')).toEqual([{ role: 'assistant', content: 'ab' }]);
    expect(toldOf('developer', file)).toEqual([{ role: 'system', content: file }]);
    for (const role of ['assistant', 'developer'] as const)
      expect(toldOf(role, 'a', file)).toMatchObject([{ parts: [{ text: 'a' }, { text: file }] }]);
    expect(toldOf('developer')).toEqual([]);
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

describe('calls that are given', () => {
  const given = (...items: GivenItem[]): Draft => ({ type: 'items_given', data: { items } });
  const began = (run: string, ...items: GivenItem[]): Draft => ({
    ...requested('x'),
    run,
    data: { ...(requested('x').data as object), items } as never,
  });
  const told = ({ events }: SessionTape) =>
    asOf('ses_1', events).context.map((m) =>
      m.role === 'assistant' ? (m.toolCalls ?? []).map(({ id }) => id).join() : (m.content as string),
    );
  const conversation = (...items: GivenItem[]) => new SessionTape().add(undefined, opened, given(...items));

  it('have the results that come in later events, in their turn', () => {
    const tape = conversation(call('a'), call('b'), said('user', 'hm'));
    expect(tape.state.openCalls).toEqual(['a', 'b']);
    tape.add(undefined, given(result('b')));
    expect(tape.state.openCalls).toEqual(['a']);
    tape.add(undefined, began('run_ses_1_a', result('a'), said('user', 'go on'))).startRun('run_ses_1_a');
    expect(told(tape)).toEqual(['a,b', 'of b', 'of a', 'hm', 'go on']);
    expect(tape.state.openCalls).toEqual([]);
  });

  it('have those that come while a run is under way, and a retry takes back no more than its own', () => {
    const tape = conversation(said('user', 'hm'), call('a'));
    tape.addRun('run_ses_1_a', 'hi', responseStart, response('Hel'));
    tape.add(undefined, given(result('a'))).add('run_ses_1_a', cancelled);
    expect(told(tape)).toEqual(['hm', 'a', 'of a', 'hi', '']);
    const retry = { worker: 'w', epoch: 1, requested: 2, isRetry: true as const };
    tape.add('run_ses_1_b', { type: 'run_claimed', data: retry }, { type: 'agent_started', data: {} });
    expect(told(tape)).toEqual(['hm', 'a', 'of a', 'hi']);
  });

  it('are open again where the run that answers them is cancelled before its turn', () => {
    const tape = conversation(call('a')).addRun('run_ses_1_a', 'hi');
    tape.add(undefined, given(call('b')), began('run_ses_1_b', result('b'), said('user', 'go on')));
    expect(tape.state.openCalls).toEqual([]);
    tape.add('run_ses_1_b', cancelRequested);
    expect(tape.state.openCalls).toEqual(['b']);
    expect(tape.add('run_ses_1_b', cancelRequested).state.openCalls).toEqual(['b']);
  });

  it('are known from the last claim on, and to forks', () => {
    const tape = conversation(call('a'));
    const run = 'run_ses_1_a';
    const terms = { project: PROJECT, actor: 'k', worker: 'w', next: tape.next, hasRoom: true };
    const asked = runRequest(run, { response: { settings: '{}', payload: '' } });
    expect(() => decideStart(tape.state, asked, terms)).toThrow('No tool output found for function call a.');
    // Whoever asks in another way knows nothing of them.
    const started = decideStart(tape.state, runRequest(run), terms);
    tape.add(run, ...(started.kind === 'start' ? started.events : []));
    const [claim] = decideTakeOver(tape.state, run, 1, 'w2') ?? [];
    const sinceClaim = new SessionTape().add(run, ...[claim].filter((draft) => draft !== undefined));
    expect(sinceClaim.state.openCalls).toEqual(['a']);
    const fork = { forked_from: { session: 'ses_1', at: 1 }, depth: 1, shared: { messages: 0 } } as const;
    const forked = new SessionTape().add(undefined, {
      type: 'session_opened',
      data: { ...fork, open_calls: ['a'] },
    });
    expect(forked.state.openCalls).toEqual(['a']);
    expect(forked.add(undefined, { type: 'messages_cleared', data: {} }).state.openCalls).toEqual([]);
  });

  it.each<[string, readonly string[], readonly GivenItem[]]>([
    ['No tool output found for function call a.', [], [call('a')]],
    ['No tool output found for function call a.', ['a'], [said('user', 'x')]],
    ['No tool call found for function call output with call_id a.', [], [result('a')]],
    ['No tool call found for function call output with call_id a.', [], [result('a'), call('a')]],
    ['No tool call found for function call output with call_id a.', ['a'], [result('a'), result('a')]],
    ['Two calls have the call_id a before there is an output.', [], [call('a'), call('a'), result('a')]],
    ['Two calls have the call_id a before there is an output.', ['a'], [call('a'), result('a')]],
    ['', ['a'], [result('a'), call('a'), result('a')]],
    ['', [], [call('a'), call('b'), result('b'), said('user', 'x'), result('a')]],
  ])('are refused without one output each: %j, where %j are open', (fault, open, items) => {
    expect(unpaired(open, items)?.detail ?? '').toBe(fault);
  });

  it('may be left open by items that are added, but not without end', () => {
    expect(uncalled([], [call('a'), call('b'), result('a')])).toBeNull();
    expect(uncalled([], [result('a')])?.more.errors).toMatchObject([{ path: 'items' }]);
    const many = Array.from({ length: 65 }, (_, n) => call(`c${n}`));
    expect(uncalled([], many.slice(1))).toBeNull();
    expect(uncalled([], many)?.code).toBe('invalid_request');
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
