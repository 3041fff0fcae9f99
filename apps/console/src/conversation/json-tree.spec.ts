import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonTree, plainText, rawOf } from './json-tree.js';

describe('JSON text as a tree', () => {
  test('is, written down again, the text itself, whatever it is and however large', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const compact = JSON.stringify(JSON.parse(text));
        expect(rawOf(jsonTree(compact)!)).toBe(compact);
        expect(rawOf(jsonTree(JSON.stringify(JSON.parse(text), null, 2))!).replaceAll(/\s/g, '')).toBe(
          compact.replaceAll(/\s/g, ''),
        );
      }),
    );
    const many = JSON.stringify({
      a: Array.from({ length: 1000 }, (_, n) => ({ [`k${n}`]: [n, 'x]'] })),
      b: 1,
    });
    expect(rawOf(jsonTree(many)!) === many).toBe(true);
  });

  test('keeps every digit', () => {
    expect(jsonTree('{"amount": 89.00, "order": 12345678901234567890}')).toEqual({
      kind: 'object',
      members: [
        { key: '"amount"', value: { kind: 'number', raw: '89.00' } },
        { key: '"order"', value: { kind: 'number', raw: '12345678901234567890' } },
      ],
    });
  });

  test('is taken apart twelve levels deep, and 120 values wide', () => {
    const deep = '['.repeat(64) + '"needle"' + ']'.repeat(64);
    const depthOf = (node: ReturnType<typeof jsonTree>): number =>
      node !== null && 'members' in node ? 1 + depthOf(node.members[0]?.value ?? null) : 0;
    expect(depthOf(jsonTree(deep))).toBe(12);
    expect(rawOf(jsonTree(deep)!)).toBe(deep);
    const wide = jsonTree(JSON.stringify(Array.from({ length: 5000 }, () => 1)))!;
    expect('members' in wide && wide.members.length).toBe(121);
  });

  test('is none where the text is no JSON', () => {
    for (const text of ['', '{', "{'a':1}", 'undefined', '1 2']) expect(jsonTree(text)).toBe(null);
    expect(plainText({ kind: 'string', raw: '"a\\nb"' })).toBe('a\nb');
  });
});
