import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { keepFolder } from './folders.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'annals-folders-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

it('makes a folder and those above it for their owner alone, and leaves what is there as it is', () => {
  mkdirSync(join(root, 'there'));
  chmodSync(join(root, 'there'), 0o755);
  keepFolder(join(root, 'there', 'a', 'b'));
  keepFolder(join(root, 'there', 'a', 'b'));
  const modes = ['there', 'there/a', 'there/a/b'].map((path) => statSync(join(root, path)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o700, 0o700]);
});

it('makes none where a file is in the way', () => {
  writeFileSync(join(root, 'file'), '');
  expect(() => keepFolder(join(root, 'file', 'a'))).toThrow(/ENOTDIR|EEXIST/);
});
