import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../commands.js';
import { parseArguments } from '../parse-arguments.js';
import { type ReplayOptions, replayOptionsOf } from './replay-options.js';

const folder = mkdtempSync(join(tmpdir(), 'annals-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

function optionsOf(...words: readonly string[]): ReplayOptions {
  const wanted = parseArguments(['replay', ...words], COMMANDS);
  if (wanted.kind !== 'run') throw new Error(wanted.kind);
  return replayOptionsOf(wanted.args);
}

const needed = ['--from', '2026-01-01', '--to', '2026-02-01T00:00:00+01:00', '--out', 'f'];

describe('options of replay', () => {
  it('have their defaults', () => {
    expect(optionsOf(...needed)).toEqual({
      evaluation: {
        from: '2026-01-01T00:00:00.000Z',
        to: '2026-01-31T23:00:00.000Z',
        status: 'completed',
        changes: { tools: 'recorded' },
      },
      out: 'f',
      budget: null,
      parallel: 4,
      isJson: false,
    });
  });

  it('say what is changed, prompt and rules from files', () => {
    const [system, rules] = [join(folder, 'system'), join(folder, 'rules')];
    writeFileSync(system, 'Be kind.\nBe brief.\n');
    writeFileSync(rules, 'no lies\n\nno jokes\n');
    const more = ['--mode', 'max', '--model', 'm', '--tools', 'none', '--budget', '0.25', '--session', 's'];
    expect(optionsOf(...needed, '--system', system, '--rules', rules, ...more)).toMatchObject({
      evaluation: {
        session: 's',
        changes: {
          mode: 'max',
          model: 'm',
          system: 'Be kind.\nBe brief.',
          rules: ['no lies', 'no jokes'],
          tools: 'none',
        },
      },
      budget: 250_000_000_000n,
    });
  });

  it.each([
    [needed.slice(2), /^replay: --from is missing; see `annals replay --help`$/],
    [needed.slice(0, 4), /--out is missing/],
    [['--from', 'yesterday', ...needed.slice(2)], /--from must be a date or a time/],
    [['--from', '2026-01-01T00:00', ...needed.slice(2)], /--from must be a date or a time/],
    [['--from', '2026-02-02', ...needed.slice(2)], /--from must be before --to/],
    [[...needed, '--mode', 'fastest'], /--mode must be flash, base, max, fast/],
    [[...needed, '--tools', 'real'], /--tools must be recorded, none/],
    [[...needed, '--status', 'running'], /--status must be completed, failed, cancelled, all/],
    [[...needed, '--budget', 'much'], /--budget must be US dollars as a decimal/],
    [[...needed, '--parallel', '65'], /--parallel must be a whole number from 1 to 64/],
    [[...needed, '--parallel', '1.5'], /--parallel must be a whole number/],
    [[...needed, '--system', join(folder, 'none')], /--system must be a file that can be read: ENOENT/],
  ])('%j are refused', (words, message) => {
    expect(() => optionsOf(...words)).toThrow(message);
  });
});
