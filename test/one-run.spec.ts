import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { hasSymbol } from './simulation/source-symbols.js';

const text = readFileSync('docs/one-run.md', 'utf8');
const named = [...text.matchAll(/`((?:apps|libs)\/[^`]+\.ts)`/g)].map((m) => m[1]!);
const places = [...text.matchAll(/`((?:apps|libs)\/[^`]+\.ts)` `([\w.]+)`/g)].map(
  (m) => [m[1]!, m[2]!] as const,
);

/** What the walk promises to show, and where: a move of it has to be told. */
const PROMISED = [
  ['who is let in', 'Admission.refuse'],
  ['where a run is admitted', 'RunAcceptance.accept'],
  ['seals', 'sealData'],
  ['the one fsync', 'LogWriter.write'],
  ['calls the tools of a turn', 'ToolRunner.run'],
] as const;

describe('docs/one-run.md', () => {
  it('names at most eighteen files, each once, and where to begin in each', () => {
    expect(named.length).toBeGreaterThan(5);
    expect(named.length).toBeLessThanOrEqual(18);
    expect(new Set(named).size).toBe(named.length);
    expect(places.map(([file]) => file)).toEqual(named);
  });

  it.each(places)('%s has %s', (file, symbol) => {
    expect(existsSync(file)).toBe(true);
    expect(hasSymbol(readFileSync(file, 'utf8'), symbol)).toBe(true);
  });

  it.each(PROMISED)('says %s: %s', (what, symbol) => {
    const line = text.split('\n').find((one) => one.includes(`**${what}**`));
    expect(line).toContain(`\`${symbol}\``);
  });

  it('is true of the order: what is written is sealed within the one transaction, and a call waits for the log', () => {
    const methodOf = (file: string, from: string, to: string): string =>
      readFileSync(file, 'utf8').split(from)[1]!.split(to)[0]!;
    const writer = readFileSync('libs/event-log/src/sqlite/log-writer.ts', 'utf8');
    expect(writer).toContain('sealData(');
    const write = methodOf('libs/event-log/src/sqlite/log-writer.ts', '  write(', '\n  }');
    expect(write.indexOf('this.begin.run()')).toBeLessThan(write.indexOf('this.append('));
    expect(write.indexOf('this.append(')).toBeLessThan(write.indexOf('this.commit.run()'));
    expect(readFileSync('libs/event-log/src/sqlite/database.ts', 'utf8')).toContain("?? 'FULL'");
    const tools = methodOf('libs/agent/src/run/driver.ts', 'private async runTools(', '\n  }');
    expect(tools.indexOf('settled(')).toBeGreaterThan(0);
    expect(tools.indexOf('settled(')).toBeLessThan(tools.indexOf('.run('));
  });
});
