import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Problem } from '#domain';
import { parseJson } from './json-body.js';
import { firstPoison } from './json-poison.js';

const detailOf = (body: string | Buffer): string => {
  try {
    parseJson(Buffer.from(body as string));
    return 'nothing';
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request') return error.detail;
    throw error;
  }
};

describe('a JSON body', () => {
  test('has no numbers that would be changed, where they go on to somebody else', () => {
    const body = Buffer.from('{"result":{"ids":[1184773092771532801]}}');
    expect(() => parseJson(body, true)).toThrow('result.ids[0]: must not be the number 1184773092771532801');
    expect(parseJson(body)).toEqual({ result: { ids: [1184773092771532800] } });
    expect(parseJson(Buffer.from('{"result":[1.5,42]}'), true)).toEqual({ result: [1.5, 42] });
  });

  test('of any kind is what JSON.parse makes of it, or refused for its poison', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\ud800', '\udc00', '\0', '__proto__', '\\u0000', '\ud83d\ude00', '"\\"'),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('any'), { maxLength: 4 }),
      map: fc.array(fc.tuple(text, tie('any')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
    })).any;
    fc.assert(
      fc.property(value, fc.boolean(), (sent, escapeAll) => {
        const plain = JSON.stringify(sent);
        const json = escapeAll
          ? plain.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : plain;
        const parsed: unknown = JSON.parse(json);
        const poison = hasPoison(parsed);
        expect(firstPoison(parsed) !== null).toBe(poison);
        if (poison) expect(detailOf(json)).toMatch(/must not|has a key/);
        else expect(parseJson(Buffer.from(json))).toEqual(parsed);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of any bytes is parsed or refused, nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom('', '{"a":', '["'), (bytes, before) => {
        detailOf(Buffer.concat([Buffer.from(before), bytes]));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['{"a":1,}', 7],
    ['{"a":tru}', 8],
    ['[1 2]', 3],
    ["{'a':1}", 1],
    [`{"a":"${'x'.repeat(200)}"} x`, 209],
    ['{"a":"b', 7],
    ['', 0],
  ])('%s is refused at its position', (body, position) => {
    expect(detailOf(body)).toBe(`the body is not valid JSON at position ${position}`);
  });

  test('may be 64 deep and hold any number of brackets', () => {
    const deep = (n: number) => '{"a":'.repeat(n) + '1' + '}'.repeat(n);
    expect(detailOf(deep(64))).toBe('nothing');
    expect(detailOf(deep(65))).toMatch(/64/);
    expect(detailOf(`[${'[],'.repeat(500)}"${'[\\"{'.repeat(500)}"]`)).toBe('nothing');
    expect(detailOf(`"${'['.repeat(500)}`)).toMatch(/position 501/);
    expect(detailOf(']'.repeat(500) + '['.repeat(500))).toMatch(/position 0/);
  });
});

function hasPoison(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, item]) => key === '__proto__' || hasPoison(key) || hasPoison(item),
  );
}
