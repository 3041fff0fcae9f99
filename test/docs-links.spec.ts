import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

it.each(pages)('%s leads to files that are there', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^([a-z]+:|#|\/)/.test(link)).map((link) => link.replace(/#.*/, ''));
  expect(local.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});

it('decisions have a number each, which stands in their names and titles', () => {
  const names = readdirSync('docs/decisions').filter((name) => name.endsWith('.md'));
  const numbers = names.map((name) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const name of names) {
    const [title = ''] = readFileSync(join('docs/decisions', name), 'utf8').split('\n');
    const [, number = name.slice(0, 4)] = /^# (\d+)\./.exec(title) ?? [];
    expect(number.padStart(4, '0')).toBe(name.slice(0, 4));
  }
});
