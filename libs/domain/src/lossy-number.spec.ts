import { describe, expect, it } from '@jest/globals';
import { lossyNumberIn } from './lossy-number.js';
import { inputOf, readArguments } from './turn-tool-call.js';

describe('a number that would be changed', () => {
  it.each([
    ['{"id":1184773092771532801}', 'id', '1184773092771532801'],
    ['{"a":[1,{"b":-9007199254740993}]}', 'a[1].b', '-9007199254740993'],
    ['[1e400]', '[0]', '1e400'],
    ['{"a":1,"b":-1E+400,"c":1e500}', 'b', '-1E+400'],
    ['{"tiny":1e-400}', 'tiny', '1e-400'],
    ['1184773092771532801.0', '', '1184773092771532801.0'],
    ['1.184773092771532801e18', '', '1.184773092771532801e18'],
    ['{"__proto__":{"id":11847730927715328019}}', '__proto__.id', '11847730927715328019'],
  ])('is found in %s', (json, path, source) => expect(lossyNumberIn(json)).toEqual({ path, source }));

  it.each([
    '{"id":9007199254740991}',
    '{"id":9007199254740992}',
    '[10000000000000000,1e21,1e100,1.5e+300,1.7976931348623157e308,5e-324]',
    '[0.1234567890123456789,3.141592653589793238462,123456789.12345678901234]',
    '[0,-0,0e5,0.0e-400,0000]',
    '{"id":"1184773092771532801","1184773092771532801":1}',
    '"1e400"',
    '{"id":1184773092771532801',
  ])('is not in %s', (json) => expect(lossyNumberIn(json)).toBeNull());

  it('costs a time that grows with the text, however deep that is', () => {
    const numbers = `[${'0.12345678901234567,'.repeat(100_000)}1]`;
    const begin = performance.now();
    expect(lossyNumberIn(numbers)).toBeNull();
    expect(lossyNumberIn('9'.repeat(1_000_000))?.path).toBe('');
    expect(lossyNumberIn(`${'['.repeat(500)}1e400${']'.repeat(500)}`)?.path).toBe('[0]'.repeat(500));
    expect(lossyNumberIn(`"${'\\"'.repeat(500_000)}1e400`)).toBeNull();
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});

it('makes no input of arguments', () => {
  const call = { arguments: '{"user":{"id":1184773092771532801}}' };
  expect(inputOf(call)).toBeUndefined();
  expect(readArguments(call)).toMatchObject({
    kind: 'lossy',
    fault: expect.stringMatching(/user\.id must not be the number 1184773092771532801, .* as a string$/),
  });
});
