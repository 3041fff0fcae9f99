import { describe, expect, it } from '@jest/globals';
import { type GivenItem, actionId } from '#domain';
import { RUN as run, begun, faceOf } from '../../../../test/support/face-tape.js';
import { toolUse, toolUseStart } from '../../../../test/support/session-tape.js';
import { askingTurn, asks, parked, resolves } from '../../../../test/support/waiting-tape.js';
import { decidedBy } from './decisions.js';
import { isSameDecision, repeatedBy } from './same-decisions.js';
import { repeats } from './same-items.js';

const uses = [toolUseStart, toolUse('{"tool":"t","input":{}}')];
const tape = () =>
  begun(
    askingTurn({ c1: 'caller', c2: 'approval' }),
    ...uses,
    ...uses,
    asks(run, 0, 'tool'),
    asks(run, 1),
    parked,
  );
const { waits } = faceOf(tape()).face.passages[0]!;
const said = (role: 'user' | 'assistant', text: string): GivenItem => ({
  kind: 'message',
  role,
  parts: [{ kind: 'text', text }],
});
const output: GivenItem = { kind: 'result', id: 'call_1_6', output: '21' };
const approval: GivenItem = { kind: 'decision', action: actionId(run, 1), isApproved: true };
const held = [said('user', 'hi'), { kind: 'call', id: 'call_1_6', name: 't', arguments: '{}' } as GivenItem];

describe('the decisions of an input', () => {
  it('are of all that waits', () => {
    expect(() => decidedBy([output], waits, 'ses_1', held)).toThrow(
      `No approval found for mcpr_${actionId(run, 1)}.`,
    );
    expect(() => decidedBy([approval], waits, 'ses_1', held)).toThrow(
      'No tool output found for function call call_1_6.',
    );
    const { decisions, messages } = decidedBy([output, approval], waits, 'ses_1', held);
    expect([...decisions.values()]).toEqual([
      { kind: 'answer', result: '21' },
      { kind: 'approve', reason: null },
    ]);
    expect(messages).toEqual([]);
  });

  it('are one of each that waits, however often it is said', () => {
    const said = { ...output, output: '22' } as GivenItem;
    expect(() => decidedBy([output, said, approval], waits, 'ses_1', held)).toThrow(
      'There are different outputs for function call call_1_6.',
    );
    const denied = { ...approval, isApproved: false } as GivenItem;
    expect(() => decidedBy([output, denied, approval], waits, 'ses_1', held)).toThrow(
      `There are different decisions on mcpr_${actionId(run, 1)}.`,
    );
    expect(decidedBy([output, output, approval], waits, 'ses_1', held).decisions.size).toBe(2);
  });

  it('pass over what stands before them and is there already, and take in what is new', () => {
    const items = [...held, output, said('user', 'hi'), approval, said('user', 'and hurry')];
    expect(decidedBy(items, waits, 'ses_1', held).messages).toEqual(['hi', 'and hurry']);
    const other: GivenItem = { kind: 'result', id: 'call_1_99', output: 'x' };
    expect(() => decidedBy([output, approval, other], waits, 'ses_1', held)).toThrow(
      'No tool call found for function call output with call_id call_1_99.',
    );
  });

  it('are the same as those before, or are not', () => {
    const decided = decidedBy([output, approval], waits, 'ses_1', held);
    const after = tape().add(run, resolves(run, 0, 'answer'), {
      type: 'tool_call_completed',
      data: { call_id: 'c1', content: '21', action: actionId(run, 0) },
    });
    const { passages } = faceOf(after.add(run, resolves(run, 1))).face;
    expect(isSameDecision(decided, passages[0]!.waits, passages[1]!)).toBe(true);
    const hurried = decidedBy([output, approval, said('user', 'and hurry')], waits, 'ses_1', held);
    expect(isSameDecision(hurried, passages[0]!.waits, passages[1]!)).toBe(false);
    const denied = { ...approval, isApproved: false } as GivenItem;
    expect(
      isSameDecision(decidedBy([output, denied], waits, 'ses_1', held), passages[0]!.waits, passages[1]!),
    ).toBe(false);
    const other = { ...output, output: '22' } as GivenItem;
    expect(
      isSameDecision(decidedBy([other, approval], waits, 'ses_1', held), passages[0]!.waits, passages[1]!),
    ).toBe(false);
  });
});

describe('what items repeat that decide', () => {
  it('is all before the first decision, and the calls between the others', () => {
    const call: GivenItem = { kind: 'call', id: 'call_1_6', name: 't', arguments: '{}' };
    const asked = { server: 's', name: 't', arguments: '{}' };
    const question: GivenItem = { kind: 'question', id: `mcpr_${actionId(run, 1)}`, ...asked };
    const between = [said('user', 'hi'), call, output, question, approval, said('user', 'more')];
    expect(repeatedBy(between, waits, 'ses_1')).toEqual([said('user', 'hi'), call, question]);
    expect(repeatedBy(held, waits, 'ses_1')).toBe(null);
  });

  it('is nothing where they go on behind the decisions', () => {
    for (const more of [said('assistant', 'done'), { ...output, id: 'call_1_99' } as GivenItem])
      expect(repeatedBy([...held, output, approval, more], waits, 'ses_1')).toBe(null);
  });
});

it('items repeat a session where all are the same in order, but for what an assistant said', () => {
  const session = [said('user', 'hi'), said('assistant', 'hm'), ...held.slice(1)];
  expect(repeats(session, session)).toBe(true);
  expect(repeats(session, held)).toBe(true);
  expect(repeats(session, session.slice(0, 2))).toBe(false);
  expect(repeats(session, [...session, said('user', 'more')])).toBe(false);
  expect(repeats(session, [said('user', 'ho'), ...held.slice(1)])).toBe(false);
  const spaced = { kind: 'call', id: 'call_1_6', name: 't', arguments: '{ }' } as GivenItem;
  expect(repeats(held, [held[0]!, spaced])).toBe(true);
  const told = { server: 's', name: 't', arguments: '{}', output: 'r' };
  const [theirs, ours] = ['mcp_1', 'mcp_1_6_0'].map((id): GivenItem => ({
    kind: 'server_call',
    id,
    ...told,
  }));
  expect(repeats([ours!], [theirs!])).toBe(true);
  expect(repeats([ours!], [{ ...theirs!, output: 'other' } as GivenItem])).toBe(false);
});
