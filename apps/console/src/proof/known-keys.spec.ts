import { expect, test } from '@jest/globals';
import { keysFound, namesKeys } from './known-keys.js';

const [A, B, C] = [
  'example.com/a+00000001+AAA=',
  'example.com/a+00000002+BBB=',
  'example.com/a+00000003+CCC=',
];
const policy = (...lines: readonly string[]): string => [...lines, 'quorum none', ''].join('\n');

test('the first copy is believed as it is, and the same again', () => {
  const text = policy(`log ${A}`);
  expect(keysFound(null, text)).toEqual({ kind: 'first', policy: text });
  expect(keysFound(text, `# a comment\n${text}`)).toEqual({ kind: 'same', policy: text });
});

test('a key beside the known one, or in the place of one that was retired, is believed with it', () => {
  const both = keysFound(policy(`log ${A}`), policy(`log ${A}`, `log ${B}`));
  expect(both).toEqual({ kind: 'rotated', policy: policy(`log ${A}`, `log ${B}`) });
  expect(keysFound(both.policy, policy(`log ${B}`, `# retired ${A}`))).toEqual({
    kind: 'rotated',
    policy: policy(`log ${B}`),
  });
  expect(
    keysFound(policy(`log ${A}`), policy(`log ${C}`, `# retired log ${A}`, `# retired log ${B}`)).kind,
  ).toBe('rotated');
});

test('another key is not, and both are named', () => {
  const pinned = policy(`log ${A}`);
  for (const told of [policy(`log ${B}`), policy(`log ${B}`, `# retired ${C}`), policy(`# not ${A}`)])
    expect(keysFound(pinned, told)).toMatchObject({ kind: 'changed', policy: pinned, known: [A] });
  expect(keysFound(pinned, policy(`log ${B}`))).toMatchObject({ told: [B] });
});

test('witnesses and quorum stay those that were told first', () => {
  const witness = 'witness w example.com/w+00000009+DDD=';
  const pinned = `log ${A}\n${witness}\nquorum w\n`;
  expect(keysFound(pinned, policy(`log ${A}`)).policy).toBe(pinned);
  expect(keysFound(pinned, policy(`log ${A}`, `log ${B}`)).policy).toBe(
    `log ${A}\nlog ${B}\n${witness}\nquorum w\n`,
  );
});

test('a text without a key says nothing', () => {
  expect([namesKeys('quorum none\n'), namesKeys(policy(`log ${A}`))]).toEqual([false, true]);
});
