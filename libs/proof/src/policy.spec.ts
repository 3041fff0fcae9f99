import { describe, expect, test } from '@jest/globals';
import { readableUtf8, utf8 } from './bytes.js';
import { sha256 } from './hashing.js';
import { LOG_KEY, WITNESS_KEY, formatKey, noteKey } from './notes.js';
import { PolicyRefused, parsePolicy } from './policy.js';

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

describe('the form of tlog-policy', () => {
  const TWO = `${witness('a')}${witness('b')}`;

  test.each(['\u0000', '\u0001', '\u000b', '\u000c', '\r', '\u001f', '\u007f'])(
    'has no control character but tab and line feed, in comments neither: %j',
    (control) => {
      expect(faultOf(`quorum none\n# ${control}\n`)).toBe('line 2: it has a control character');
      expect(faultOf(`quorum none${control}\n`)).toBe('line 1: it has a control character');
    },
  );

  test('has blanks and tabs between words, before and behind, and no other white space', () => {
    expect(faultOf(' \tquorum \t none\t \n \t\n')).toBeNull();
    for (const blank of ['\u00a0', '\u2003', '\u3000', '\ufeff', '\u2028', '\u0085']) {
      expect(faultOf(`quorum${blank}none\n`)).toMatch(/is not known$/);
      expect(faultOf(`${blank}quorum none\n`)).toMatch(/is not known$/);
      expect(faultOf(`quorum none${blank}\n`)).toMatch(/is not known before this line$/);
    }
  });

  test('has comments as whole lines only', () => {
    expect(faultOf('# one\n \t#two\n#\nquorum none\n')).toBeNull();
    expect(faultOf('quorum none # x\n')).toMatch(/^line 1/);
    expect(faultOf('quorum none#x\n')).toMatch(/^line 1/);
    expect(faultOf(`${witness('a').trim()} # x\nquorum none\n`)).toBe('line 1: it has too many words');
    expect(faultOf(`${TWO}group g all a # b\nquorum g\n`)).toBe('line 3: # is not known before this line');
  });

  test('has each name in one group at most', () => {
    expect(faultOf(`${TWO}group g any a\ngroup h all g b\nquorum h\n`)).toBeNull();
    expect(faultOf(`${TWO}group g any a\ngroup h all g a\nquorum h\n`)).toBe('line 4: a is in another group');
    expect(faultOf(`${TWO}group g any a\ngroup h any g b\ngroup i any g\nquorum i\n`)).toBe(
      'line 5: g is in another group',
    );
    // A quorum is none.
    expect(faultOf(`${TWO}group g any a b\nquorum a\n`)).toBeNull();
  });

  test('may have octets that are no UTF-8 in a comment, and names beyond ASCII that are not folded', () => {
    const octets = (text: string): string => readableUtf8(Uint8Array.from(text, (one) => one.charCodeAt(0)));
    expect(faultOf(octets('# \u00ff\u0080\nquorum none\n'))).toBeNull();
    expect(faultOf(octets('quorum \u00ff\n'))).toBe('line 1: it is not UTF-8');
    const { publicKey } = noteKey('k', WITNESS_KEY, sha256(utf8('k')));
    const key = formatKey(noteKey('k.example', WITNESS_KEY, publicKey));
    expect(faultOf(`witness \u212a ${key}\nquorum \u212a\n`)).toBeNull();
    expect(faultOf(`witness \u212a ${key}\nquorum K\n`)).toMatch(/^line 2: K is not known/);
  });
});
