import { describe, expect, test } from '@jest/globals';
import { sha256 } from './hashing.js';
import { LOG_KEY, WITNESS_KEY, formatKey, noteKey } from './notes.js';
import { PolicyRefused, parsePolicy } from './policy.js';
import { utf8 } from './bytes.js';

const vkey = (name: string, kind: number, of = name): string =>
  formatKey(noteKey(name, kind, sha256(utf8(of))));
const log = (name: string, of?: string): string => `log ${vkey(name, LOG_KEY, of)}\n`;
const witness = (name: string, of?: string): string =>
  `witness ${name} ${vkey(`${name}.example`, WITNESS_KEY, of)}\n`;

const faultOf = (policy: string): string | null => {
  try {
    parsePolicy(policy);
    return null;
  } catch (error) {
    if (error instanceof PolicyRefused) return error.message;
    throw error;
  }
};

describe('one key is one', () => {
  test('witness, whatever name and id it has: it would fill a quorum of two', () => {
    const two = (of: string): string =>
      `${witness('a', 'a')}${witness('b', of)}group both all a b\nquorum both\n`;
    expect(faultOf(two('b'))).toBeNull();
    expect(faultOf(two('a'))).toBe('line 2: its key is there already');
  });

  test('log, whatever origin it has', () => {
    expect(faultOf(`${log('one.example')}${log('two.example')}quorum none\n`)).toBeNull();
    expect(faultOf(`${log('one.example', 'k')}${log('two.example', 'k')}quorum none\n`)).toBe(
      'line 2: its key is there already',
    );
  });

  test('but may be that of a log and of a witness: these are counted apart', () =>
    expect(faultOf(`${log('one.example', 'k')}${witness('w', 'k')}quorum w\n`)).toBeNull());
});
