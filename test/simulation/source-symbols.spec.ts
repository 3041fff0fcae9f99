import { describe, expect, it } from '@jest/globals';
import { changed } from './source-symbols.js';

const SOURCE = `// Grüße: what stands before is counted in bytes.
export class Door {
  constructor(private readonly key: string) {
    this.log('made');
  }
  open(key: string): boolean {
    if (key === this.key) return true;
    this.log(
      'refused',
      key,
    );
    return false;
  }
  shut(): void {
    this.log('shut');
  }
}
export const twice = (n: number) => n * 2;
function thrice(n: number): number {
  const one = n;
  return one + twice(n);
}
`;

describe('a change in a symbol', () => {
  it.each([
    ['an expression', 'Door.open', 'key === this.key', 'true', 'if (true) return true;'],
    ['however it is set out', 'Door.open', `this.log("refused",key)`, 'null', '    null;\n    return false;'],
    ['a statement', 'Door.open', 'return false;', 'return true;', '    return true;\n  }\n  shut'],
    ['what a constructor holds', 'Door.constructor', "this.log('made');", '', 'string) {\n    \n  }'],
    [
      'several statements',
      'thrice',
      'const one = n; return one + twice(n);',
      'return 0;',
      '{\n  return 0;\n}',
    ],
    ['what a constant is', 'twice', 'n * 2', 'n', '=> n;'],
  ])('takes the place of %s', (_, symbol, find, replace, there) => {
    const text = changed(SOURCE, { symbol, find, replace });
    expect(text).toContain(there);
    expect(text).toContain('// Grüße: what stands before is counted in bytes.\nexport class Door');
  });

  it('takes the place of a whole body where it names no code', () => {
    expect(changed(SOURCE, { symbol: 'Door.shut', replace: ' return; ' })).toContain(
      'shut(): void { return; }\n}',
    );
  });

  it.each([
    ['Door.lock', undefined, 'there is no Door.lock any more'],
    ['Gate', 'key', 'there is no Gate any more'],
    ['Door.open', 'lock()', 'Door.open holds "lock()" 0 times, instead of once'],
    ['Door', 'this.log', 'Door holds "this.log" 3 times, instead of once'],
    ['Door', undefined, 'Door holds "a body" 0 times, instead of once'],
  ])('that does not fit says what it misses: %s %s', (symbol, find, message) => {
    expect(() => changed(SOURCE, { symbol, ...(find === undefined ? {} : { find }), replace: '' })).toThrow(
      message,
    );
  });
});
