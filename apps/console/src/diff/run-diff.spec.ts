import { describe, expect, test } from '@jest/globals';
import { costDelta, turnText } from './run-diff.js';

describe('two runs compared', () => {
  test('the difference of what they cost is exact', () => {
    expect(costDelta({ a: '0.1', b: '0.3' })).toBe('+$0.20');
    expect(costDelta({ a: '0.3', b: '0.1' })).toBe('−$0.20');
    expect(costDelta({ a: '0.0041', b: '0.0041' })).toBe('the same');
  });

  test('a turn is what was said, then what was called', () => {
    const turn = { response: 'I look it up.', tool_calls: [{ tool: 'get_order', input: { order: 4711 } }] };
    expect(turnText(turn)).toBe('I look it up.\n\nget_order {\n  "order": 4711\n}');
    expect(turnText(null)).toBe('');
  });
});
