import { describe, expect, test } from '@jest/globals';
import type { Block, Inline } from './markdown-nodes.js';
import { weightOf, withOrderedHeadings } from './markdown-nodes.js';
import { blocksOf, lexing } from './markdown.js';

const text = (said: string): Inline => ({ kind: 'text', text: said });
const only = (source: string): readonly Inline[] => {
  const [block, ...more] = blocksOf(source);
  expect(more).toEqual([]);
  return block?.kind === 'paragraph' ? block.children : [];
};

describe('a text in Markdown', () => {
  test('has headings that skip no level, whatever was written', () => {
    const levels = (source: string): readonly number[] => {
      const found: number[] = [];
      const look = (blocks: readonly Block[]): void => {
        for (const block of blocks) {
          if (block.kind === 'heading') found.push(block.level);
          else if (block.kind === 'quote') look(block.blocks);
          else if (block.kind === 'list') for (const item of block.items) look(item.blocks);
        }
      };
      look(withOrderedHeadings(blocksOf(source)));
      return found;
    };
    expect(levels('### A\n\n##### B\n\n> ###### C\n\n- ## D\n\n# E\n\n### F')).toEqual([1, 2, 3, 2, 1, 2]);
  });

  test('becomes paragraphs, headings, lists, quotes, tables and code', () => {
    const source = '# A\n\nb **c** `d`\n\n3. e\n4. f\n\n> g\n\n|h|i|\n|-|-:|\n|j|k|\n\n```ts\nl\n```\n\n---';
    const paragraph = (said: string): Block => ({ kind: 'paragraph', children: [text(said)] });
    const cell = (said: string, align: 'right' | null) => ({ align, children: [text(said)] });
    expect(blocksOf(source)).toEqual([
      { kind: 'heading', level: 1, children: [text('A')] },
      {
        kind: 'paragraph',
        children: [
          text('b '),
          { kind: 'strong', children: [text('c')] },
          text(' '),
          { kind: 'code', text: 'd' },
        ],
      },
      {
        kind: 'list',
        start: 3,
        items: [
          { isTask: false, blocks: [paragraph('e')] },
          { isTask: false, blocks: [paragraph('f')] },
        ],
      },
      { kind: 'quote', blocks: [paragraph('g')] },
      {
        kind: 'table',
        head: [cell('h', null), cell('i', 'right')],
        rows: [[cell('j', null), cell('k', 'right')]],
      },
      { kind: 'code', language: 'ts', text: 'l' },
      { kind: 'rule' },
    ]);
  });

  test('keeps its line breaks, and what it would hide otherwise', () => {
    expect(only('a\nb  \nc')).toEqual([text('a\nb\nc')]);
    expect(blocksOf('[x]: http://a.example "secret"')).toEqual([
      { kind: 'paragraph', children: [text('[x]: http://a.example "secret"')] },
    ]);
  });

  test('has the mark of a task once, in the line of its text, however the list is set', () => {
    const said = (blocks: readonly Block[]): readonly unknown[] =>
      blocks.map((block) => {
        if (block.kind === 'list') return block.items.map((item) => [item.isTask, ...said(item.blocks)]);
        return block.kind === 'paragraph' ? block.children : block.kind;
      });
    expect(said(blocksOf('- [x] tight\n  - [ ] within\n- plain'))).toEqual([
      [
        [true, [text('[x] tight')], [[true, [text('[ ] within')]]]],
        [false, [text('plain')]],
      ],
    ]);
    expect(said(blocksOf('- [x] loose\n\n- [ ] **too**\n\n- [x] ***'))).toEqual([
      [
        [true, [text('[x] loose')]],
        [true, [text('[ ] '), { kind: 'strong', children: [text('too')] }]],
        [true, [text('[x] ***')]],
      ],
    ]);
  });

  test('has no HTML: it is text', () => {
    expect(only('a <b onclick="x()">c</b> &lt;')).toEqual([text('a <b onclick="x()">c</b> &lt;')]);
    expect(only('<script>alert(1)</script>')).toEqual([text('<script>alert(1)</script>')]);
  });
});

describe('a link', () => {
  const link = (source: string) => only(source)[0];

  test('leads to the web or to an address, and is text otherwise', () => {
    expect(link('[a](https://b.example/c)')).toEqual({
      kind: 'link',
      target: { href: 'https://b.example/c', host: 'b.example' },
      children: [text('a')],
    });
    expect(link('<mailto:a@b.example>')).toMatchObject({ target: { host: 'a@b.example' } });
    for (const href of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      '/here',
      'file:///x',
      'blob:x',
    ])
      expect(link(`[a](${href})`)).toEqual(text(`[a](${href})`));
    expect(link('[a](<java\tscript:alert(1)>)')).toMatchObject({ kind: 'text' });
  });

  test('tells the true host, also of an address with a name before it, or in letters of another script', () => {
    expect(link('[bank.example](https://bank.example@evil.example/)')).toMatchObject({
      target: { host: 'evil.example' },
    });
    expect(link('https://b\u0430nk.example/x')).toEqual({
      kind: 'link',
      target: { href: 'https://xn--bnk-6cd.example/x', host: 'xn--bnk-6cd.example' },
      children: [text('https://xn--bnk-6cd.example/x')],
    });
    expect(link('[Grüße](https://b.example)')).toMatchObject({ children: [text('Grüße')] });
  });
});

describe('an image', () => {
  test('is told by name and host, and never loaded', () => {
    expect(only('![a cat](https://b.example/c.png)')).toEqual([
      { kind: 'image', alt: 'a cat', host: 'b.example' },
    ]);
    expect(only('![a](//b.example/c.png)')).toEqual([{ kind: 'image', alt: 'a', host: 'no address' }]);
  });

  test('of the text itself is shown where it can be nothing but an image', () => {
    const source = 'data:image/png;base64,iVBORw0KGgo=';
    expect(only(`![a](${source})`)).toEqual([{ kind: 'picture', alt: 'a', source }]);
    for (const other of [
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:text/html;base64,PHN2Zz4=',
      'data:image/png,x',
    ])
      expect(only(`![a](${other})`)).toEqual([{ kind: 'image', alt: 'a', host: 'within the text' }]);
  });
});

describe('a text that is meant to harm', () => {
  test('is text where its blocks are nested deeper than eight', () => {
    const depthOf = (blocks: readonly Block[]): number =>
      Math.max(0, ...blocks.map((block) => (block.kind === 'quote' ? 1 + depthOf(block.blocks) : 0)));
    expect(depthOf(blocksOf('> '.repeat(8) + 'a'))).toBe(8);
    expect(depthOf(blocksOf('> '.repeat(64) + 'a'))).toBe(8);
    expect(JSON.stringify(blocksOf('> '.repeat(64) + 'needle'))).toContain('needle');
    for (const deep of ['> ', '1. ', '- '])
      expect(JSON.stringify(blocksOf(`${deep.repeat(6000)}needle`))).toContain('needle');
  });

  test('is lexed up to 20,000 characters, in slices, and nothing of it is lost', () => {
    const source = `${'word '.repeat(5000)}end`;
    const blocks = blocksOf(source);
    expect(blocks.flatMap((block) => (block.kind === 'paragraph' ? block.children : []))).toEqual([
      text(source.slice(0, 20_000)),
      text(source.slice(20_000)),
    ]);
    let slices = 0;
    for (const _ of lexing('_a'.repeat(10_000))) slices += 1;
    expect(slices).toBeGreaterThanOrEqual(5);
  });

  test('weighs what it is drawn as', () => {
    expect(weightOf(blocksOf('a'))).toBe(1);
    expect(weightOf(blocksOf('- a\n- **b**'))).toBe(6);
  });
});
