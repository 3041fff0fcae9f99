import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'annals-environment-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** `annals verify-log` in a folder that has no log: which setting it refuses tells what it has read. */
function said(env: Record<string, string>, flags: readonly string[] = []): readonly [number | null, string] {
  const program = resolve('dist/apps/server/src/cli/main.js');
  const { status, stderr } = spawnSync(resolve('node_modules/.bin/node'), [...flags, program, 'verify-log'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    encoding: 'utf8',
  });
  return [status, stderr];
}

const WRONG_PORT = /^PORT must be [^\n]+\n$/;
const WRONG_FOLDER = /^DATA_DIR must be [^\n]+\n$/;

describe('variables', () => {
  it('come from .env of the working folder, and those of the environment win', () => {
    expect(said({})).toEqual([1, expect.stringMatching(WRONG_FOLDER)]);
    writeFileSync(join(folder, '.env'), '# what is wrong\nPORT=eighty\n');
    expect(said({})).toEqual([1, expect.stringMatching(WRONG_PORT)]);
    expect(said({ PORT: '80' })).toEqual([1, expect.stringMatching(WRONG_FOLDER)]);
  });

  it('come from the file that ENV_FILE names instead', () => {
    writeFileSync(join(folder, 'other'), 'MAX_RUNS=few\n');
    expect(said({ ENV_FILE: 'other' })).toEqual([1, expect.stringMatching(/^MAX_RUNS must be [^\n]+\n$/)]);
    expect(said({ ENV_FILE: 'nowhere' })).toEqual([1, 'ENV_FILE must be a file of variables: ENOENT\n']);
  });
});

describe('an old Node.js', () => {
  it('is told which one it takes, and nothing else', () => {
    const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(old)}`];
    expect(said({}, flags)).toEqual([
      1,
      expect.stringMatching(/^annals needs Node\.js 24 or later[^\n]+\n$/),
    ]);
  });
});
