import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ModelMessage } from '#agent';
import { inStrictOrder, plainMessages } from './plain-messages.js';

const id = fc.constantFrom('', 'a', 'b', 'a_1', 'call_0');
const content = fc.constantFrom('', ' ', 'x', 'long text');
const call = fc.record({
  id,
  name: fc.constantFrom('', 'echo', 'a b', 'x'.repeat(70), 'é'),
  arguments: fc.constantFrom('', '{}', '[1]', '"x"', '{"a":1}', '{"a'),
});
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), content }),
  fc.record({
    role: fc.constant('assistant' as const),
    content,
    toolCalls: fc.array(call, { maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('tool' as const), callId: id, content }),
);
const history = fc
  .array(message, { maxLength: 12 })
  .map((all): ModelMessage[] => [{ role: 'system', content: 's' }, ...all]);

function expectAcceptable(messages: readonly ModelMessage[]): void {
  const ids = new Set<string>();
  let open: string[] = [];
  for (const one of messages) {
    if (one.role === 'tool') {
      expect(open.includes(one.callId)).toBe(true);
      open = open.filter((id) => id !== one.callId);
      continue;
    }
    expect(open).toEqual([]);
    const calls = one.role === 'assistant' ? (one.toolCalls ?? []) : [];
    expect(one.content.trim() !== '' || calls.length > 0).toBe(true);
    for (const { id, name, arguments: args } of calls) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(ids.has(id)).toBe(false);
      ids.add(id);
      expect(Object.prototype.toString.call(JSON.parse(args))).toBe('[object Object]');
    }
    open = calls.map(({ id }) => id);
  }
  expect(open).toEqual([]);
}

describe('the messages of a request', () => {
  it('are acceptable to the strictest server, whatever the history is', () => {
    fc.assert(
      fc.property(history, (all) => expectAcceptable(plainMessages(all))),
      { numRuns: 500 },
    );
  });

  it('are the same objects where nothing is to be changed', () => {
    const all: ModelMessage[] = [
      { role: 'user', content: 'u' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'i', name: 'f', arguments: '{"a":1}' }] },
      { role: 'tool', callId: 'i', content: '' },
      { role: 'assistant', content: 'done' },
    ];
    for (const [at, one] of plainMessages(all).entries()) expect(one).toBe(all[at]);
  });

  it('in the strict order take turns, with one call in each, and stay acceptable', () => {
    fc.assert(
      fc.property(history, (all) => {
        const strict = inStrictOrder(plainMessages(all));
        expectAcceptable(strict);
        for (const [at, one] of strict.entries()) {
          const before = strict[at - 1];
          if (one.role === 'user') expect(['system', 'assistant']).toContain(before?.role);
          if (one.role !== 'assistant') continue;
          expect((one.toolCalls ?? []).length).toBeLessThanOrEqual(1);
          expect(before?.role).not.toBe('assistant');
        }
      }),
      { numRuns: 500 },
    );
  });
});
