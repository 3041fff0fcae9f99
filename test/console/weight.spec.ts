import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = 'dist/console/assets';
const FIRST_BYTES = 100_000;
const FURTHER_BYTES = 25_000;

const textOf = (file: string): string => readFileSync(`${FOLDER}/${file}`, 'utf8');
const bytesOf = (path: string): number => statSync(`${path}.gz`).size;
const sum = (files: Iterable<string>): number =>
  [...files].reduce((bytes, file) => bytes + bytesOf(`${FOLDER}/${file}`), 0);

/** What a file imports at once, or only when it is asked for. */
const importsOf = (file: string, isLazy: boolean): string[] =>
  [...textOf(file).matchAll(isLazy ? /import\("\.\/([^"]+)"\)/g : /(?:from|import) ?"\.\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );

/** A file with all that comes with it. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const name of importsOf(file, false)) loadedWith(name, loaded);
  return loaded;
}

const shell = readFileSync('dist/console/index.html', 'utf8');
const named = [...shell.matchAll(/\/console\/assets\/([^"]+)"/g)].map(([, name = '']) => name);
const scripts = named.filter((name) => name.endsWith('.js'));
const core = new Set(scripts.flatMap((name) => [...loadedWith(name)]));
const styles = named.filter((name) => name.endsWith('.css'));
const lazy = [...new Set([...core].flatMap((name) => importsOf(name, true)))];
/** Fetched with the first page, whichever it is, when that is there. */
const isAhead = (name: string): boolean => name.startsWith('conversation-');
const pages = lazy.filter((name) => !isAhead(name));
const first = new Set(core);
for (const name of lazy.filter(isAhead)) loadedWith(name, first);

describe('what a page weighs, compressed', () => {
  it('is known of every page', () => {
    expect(pages.length).toBeGreaterThan(15);
    for (const name of [...named, ...pages])
      expect([name, existsSync(`${FOLDER}/${name}.br`)]).toEqual([name, true]);
  });

  it('what is loaded at once is told to the browser in the first answer', () => {
    expect([...core].filter((name) => !shell.includes(name))).toEqual([]);
  });

  it.each(pages)('%s first: at most 100 KB', (page) => {
    const files = loadedWith(page, new Set(first));
    expect(bytesOf('dist/console/index.html') + sum(styles) + sum(files)).toBeLessThanOrEqual(FIRST_BYTES);
  });

  it.each(pages)('%s after another: at most 25 KB', (page) => {
    const further = [...loadedWith(page)].filter((file) => !first.has(file));
    expect(sum(further)).toBeLessThanOrEqual(FURTHER_BYTES);
  });
});
