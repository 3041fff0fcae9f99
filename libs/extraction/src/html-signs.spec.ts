import { afterAll, describe, expect, test } from '@jest/globals';
import { DocumentReader } from '../../../test/support/document-reader.js';
import { isHtml } from './html-signs.js';

const reader = new DocumentReader();
afterAll(() => reader.close());

const META = '<meta charset="windows-1251">';
const MOSCOW = Buffer.from('cceef1eae2e0', 'hex').toString('latin1');
/** In windows-1251. */
const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll('Москва', MOSCOW), 'latin1');

describe('a page is known by its beginning', () => {
  test.each([
    ['a link', `<link rel="stylesheet" href="a.css">${META}<p>Москва</p>`],
    ['a style', `<style>#a { color: red }</style>${META}<p>Москва</p>`],
    ['a script', `<script>var secret = 1 < 2;</script>${META}<p>Москва</p>`],
    ['a header', `<header>${META}Москва</header>`],
    ['a form', `<form action="/a">${META}<input value="Москва"></form>`],
    ['a link to elsewhere', `<a href="/">${META}Москва</a>`],
    ['an image', `<img src="a.png">${META}<br>Москва`],
    ['PHP', `<?php if ($a->b > 1) { $secret = "<b>"; } ?>\n<!DOCTYPE html><html>${META}<p>Москва`],
    ['ASP', `<%@ language="x" %>\n<!DOCTYPE html><html>${META}<p>Москва`],
    ['a meta, and a paragraph without an end tag', `${META}<p>Москва`],
    ['a paragraph without an end tag', `<p>${META}Москва`],
    ['a comment and a meta', `<!-- note -->${META}<p>Москва`],
    [
      'a long comment',
      `<!-- ${'licence '.repeat(400)}-->\n<!--[if IE]>x<![endif]--><!DOCTYPE html>${META}<p>Москва`,
    ],
    ['much white space', `${' \r\n'.repeat(3000)}<!DOCTYPE html>${META}<p>Москва`],
    ['capital letters', `<LINK REL=x>${META}<P>Москва`],
  ])('that is %s', async (_, page) => {
    for (const filename of ['', 'x.html']) {
      const { text, warnings } = await reader.read(bytesOf(page), filename);
      expect(text).toContain('Москва');
      expect(text).not.toMatch(/<|secret/);
      expect(warnings).toEqual([]);
    }
  });

  test('or by its name, where that does not tell', async () => {
    const page = `Москва, <b>center</b> ${META}`;
    expect((await reader.read(bytesOf(page), 'x.html')).text).toContain('Москва, center');
    expect(isHtml(page)).toBe(false);
    expect(isHtml('<p>one paragraph', 'x.htm')).toBe(true);
    expect(isHtml('<my-page>\n<p>one\n<p>two', 'x.html')).toBe(true);
  });
});

describe('what is no page', () => {
  test.each<[string, string, ...string[]]>([
    ['text with a stray <', 'a < b, and b <c and d> e\n', '', 'x.html'],
    ['text about tags', '<p> is a paragraph, <b> is bold', '', 'x.txt'],
    ['Markdown with HTML in it', '# Title\n\n<p align="center">Hi</p>\n', '', 'x.md', 'x.html'],
    ['Markdown that begins with HTML', '<p align="center">Hi</p>\n\n# Title\n\n- one\n', '', 'x.md'],
    ['Markdown that is named so', '<div align="center">\n\nHi\n\n</div>\n', 'README.md'],
    ['Markdown behind a comment', '<!-- licence -->\n# Title\n\nHi <b>you</b>\n', '', 'x.md'],
    ['XML', '<?xml version="1.0"?><section><title>Hi</title></section>', '', 'x.html'],
    ['other XML', '<template><p>Hi</p></template>', ''],
    ['JSON', '{"page": "<p class=a>Hi</p>"}', ''],
    ['PHP alone', '<?php echo "<html>";', '', 'x.php'],
  ])('%s', (_, text, ...filenames) => {
    for (const filename of filenames) expect(isHtml(text, filename)).toBe(false);
  });

  test('is a PDF, whatever its name is', async () => {
    expect((await reader.read(Buffer.from('%PDF-1.7\n<p>Hi</p>'), 'x.html')).extraction).toMatchObject({
      kind: 'unreadable',
    });
  });

  test('is XML behind a comment', async () => {
    const xml = '<!-- licence -->\n<!DOCTYPE note SYSTEM "a.dtd">\n<note><object>an anchor</object></note>';
    expect((await reader.read(Buffer.from(xml))).text).toBe('-: an anchor');
  });
});

test.each([
  ['comments', '<!--'],
  ['whole comments', '<!---->'],
  ['beginnings of PHP', '<?php '],
  ['PHP', '<?= 1 ?>'],
  ['white space', ' \n'],
  ['open tags', '<p><b>'],
  ['closing tags', '<div></p>'],
  ['Markdown', '**a](# '],
])('%s take no time that grows with the square of their length', (_, piece) => {
  const [short, long] = [leastMs(piece.repeat(100_000)), leastMs(piece.repeat(1_000_000))];
  // A square would be a hundred times as much.
  expect(long).toBeLessThan(30 * short + 5);
});

/** Of some rounds: what other suites take of the machine meanwhile is not in it. */
function leastMs(text: string): number {
  const rounds = Array.from({ length: 5 }, () => {
    const since = performance.now();
    for (const begin of ['<p>', '']) isHtml(begin + text, 'x.html');
    return performance.now() - since;
  });
  return Math.min(...rounds);
}
