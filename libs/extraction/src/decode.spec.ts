import { describe, expect, test } from '@jest/globals';
import { decodeText } from './decode.js';
import { kindOf } from './kinds.js';
import { Warnings } from './warnings.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const hex = (bytes: string): Buffer => Buffer.from(bytes.replaceAll(' ', ''), 'hex');
const warned = (bytes: Uint8Array): string[] => {
  const warnings = new Warnings();
  decodeText(bytes, warnings.add);
  return warnings.all().map(({ code, detail }) => `${code}: ${detail}`);
};

const MOSCOW = hex('cceef1eae2e0');
const page = (head: string, body: Buffer): Buffer =>
  Buffer.concat([
    latin1(`<!doctype html><html><head>${head}</head><body><p>`),
    body,
    latin1('</p></body></html>'),
  ]);

describe('what a file declares', () => {
  test.each<[string, Buffer, string]>([
    ['meta charset', page('<meta charset="windows-1251">', MOSCOW), 'Москва'],
    ['without quotes, with another spelling', page('<META CharSet=CP1251>', MOSCOW), 'Москва'],
    [
      'http-equiv',
      page('<meta http-equiv=Content-Type content="text/html; charset=windows-1251">', MOSCOW),
      'Москва',
    ],
    [
      'http-equiv behind its content',
      page(`<meta content='text/html;charset=koi8-r' http-equiv="content-type"/>`, hex('edcfd3cbd7c1')),
      'Москва',
    ],
    [
      'behind a long head',
      page(`<title>${'x'.repeat(3000)}</title><meta charset="windows-1251">`, MOSCOW),
      'Москва',
    ],
    [
      'not in a comment, nor in a script',
      page(
        '<!-- <meta charset=koi8-r> --><script>"<meta charset=koi8-r>"</script><meta charset=windows-1251>',
        MOSCOW,
      ),
      'Москва',
    ],
    ['Shift JIS', page('<meta charset="Shift_JIS">', hex('8c5f96f18f91')), '契約書'],
    ['Shift JIS as Windows calls it', page('<meta charset="cp932">', hex('8c5f96f18f91')), '契約書'],
    ['GBK', page('<meta charset="gbk">', hex('b7a2c6b1')), '发票'],
    ['GBK whose bytes are UTF-8, too', page('<meta charset="gb2312">', hex('d2bbb2bb')), '一不'],
    ['Big5', page('<meta charset="big5">', hex('b5a6b2bc')), '策略'.slice(0, 1)],
    ['EUC-KR', page('<meta charset="euc-kr">', hex('b0e8bee0')), '계약'],
    ['ISO-2022-JP', page('<meta charset="iso-2022-jp">', latin1('\x1b$BF|K\\\x1b(B')), '日本'],
    ['Greek', page('<meta charset="iso-8859-7">', hex('c1e8deede1')), 'Αθήνα'],
    ['Polish', page('<meta charset="iso-8859-2">', hex('a3f364bc')), 'Łódź'],
    ['UTF-16, which it cannot be', page('<meta charset="utf-16">', Buffer.from('Öfen')), 'Öfen'],
    [
      'Latin 1, though it was converted',
      page('<meta charset="iso-8859-1">', Buffer.from('Größe der Öfen')),
      'Größe der Öfen',
    ],
    [
      'a mark is stronger',
      Buffer.concat([hex('efbbbf'), page('<meta charset="windows-1251">', Buffer.from('Öfen'))]),
      'Öfen',
    ],
    [
      'XML',
      Buffer.concat([latin1('<?xml version="1.0" encoding="windows-1251"?><a>'), MOSCOW, latin1('</a>')]),
      'Москва',
    ],
    [
      'XML with other quotes',
      Buffer.concat([
        latin1(`<?xml version='1.0' encoding='KOI8-R' standalone='yes'?>\n<a>`),
        hex('edcfd3cbd7c1'),
        latin1('</a>'),
      ]),
      'Москва',
    ],
    [
      'XHTML',
      Buffer.concat([
        latin1('<?xml version="1.0" encoding="ISO-8859-2"?><html><body>'),
        hex('a3f364bc'),
        latin1('</body></html>'),
      ]),
      'Łódź',
    ],
  ])('%s', (_, bytes, text) => {
    expect(decodeText(bytes)).toContain(text);
    expect(warned(bytes)).toEqual([]);
  });

  test('holds for HTML and XML alone', () => {
    const css = Buffer.from('@charset "windows-1251";\n.größe { content: "Öfen" }');
    expect(decodeText(css)).toContain('Öfen');
    const prose = Buffer.from('Write <meta charset="windows-1251"> into the head: Größe der Öfen');
    expect(decodeText(prose)).toContain('Größe der Öfen');
  });

  test('is told where it is not known', () => {
    const bytes = page('<meta charset="klingon-7">', Buffer.from('Öfen'));
    expect(decodeText(bytes)).toContain('Öfen');
    expect(warned(bytes)).toEqual([
      'unknown_encoding: the file declares the encoding klingon-7, which is not known here',
    ]);
  });
});

describe('broken bytes', () => {
  test.each<[string, Buffer, string]>([
    [
      'one that is never UTF-8',
      Buffer.concat([Buffer.from('Größe '), hex('ff'), Buffer.from(' Öfen')]),
      'Größe � Öfen',
    ],
    ['one beside one letter', Buffer.concat([Buffer.from('Straße '), hex('ff')]), 'Straße �'],
    [
      'a letter of Windows',
      Buffer.concat([Buffer.from('Größe der Öfen in K'), hex('f6'), Buffer.from('ln, fünf')]),
      'Größe der Öfen in K�ln, fünf',
    ],
    [
      'a file that was cut in a letter',
      Buffer.from('Größe der Öfen: fünf').subarray(0, -3),
      'Größe der Öfen: f�',
    ],
    [
      'several',
      Buffer.concat([Buffer.from('日本語の文章です。'), hex('c3 28 80'), Buffer.from('終わり')]),
      '日本語の文章です。�(�終わり',
    ],
    [
      'in Cyrillic',
      Buffer.concat([Buffer.from('Договор '), hex('98'), Buffer.from(' подписан')]),
      'Договор � подписан',
    ],
    [
      'in a page that declares UTF-8',
      page('<meta charset="utf-8">', Buffer.concat([Buffer.from('Ö'), hex('ff')])),
      'Ö�',
    ],
  ])('%s: the rest stays UTF-8', (_, bytes, text) => {
    expect(decodeText(bytes)).toContain(text);
    expect(warned(bytes)[0]).toMatch(/^broken_characters: \d places? (?:is|are) no characters? in utf-8/);
  });

  test('that were replaced before the file was sent are none', () => {
    const bytes = Buffer.from('Größe � Öfen');
    expect(decodeText(bytes)).toBe('Größe � Öfen');
    expect(warned(bytes)).toEqual([]);
  });

  test.each<[string, Buffer, string]>([
    ['Windows-1252', latin1('Gr\xf6\xdfe der \xd6fen: f\xfcnf Meter'), 'Größe der Öfen: fünf Meter'],
    ['a word of it', latin1('Caf\xe9 du Nord'), 'Café du Nord'],
    [
      'Windows-1251',
      hex('cff0e8e2e5f22c20eae0ea20e4e5ebe03f20ddf2ee20f0f3f1f1eae8e920f2e5eaf1f22e'),
      'Привет',
    ],
    ['GBK', hex('d5e2cac7d2bbb8f6d6d0cec4cec4b5b5a3acd3c3d3dab2e2cad4b1e0c2eba1a3'), '这是一个中文文档'],
    ['EUC-KR', hex('c0ccb0cdc0ba20c7d1b1b9beee20b9aeb1e2c0d4b4cfb4d92e'), '이것은 한국어'],
    ['Shift JIS', hex('93fa967b8cea82cc95b68fcd82c582b781428ca98ca982b482e9'), '日本語の文章です'],
  ])('of %s are none: it is an old encoding', (_, bytes, text) => {
    expect(decodeText(bytes)).toContain(text);
    expect(warned(bytes)).toEqual([]);
  });
});

test.each<[string, Buffer]>([
  ['UTF-32 LE', hex('fffe0000 d6000000 66000000 65000000 6e000000')],
  ['UTF-32 BE', hex('0000feff 000000d6 00000066 00000065 0000006e')],
  ['ISO-2022-JP without a declaration', latin1('\x1b$BF|K\\\x1b(B')],
])('%s', (name, bytes) => {
  expect(kindOf(bytes)).toBe('text');
  expect(decodeText(bytes)).toBe(name.startsWith('ISO') ? '日本' : 'Öfen');
});

test('warnings are each said once, and no more than fifty', () => {
  const warnings = new Warnings();
  for (let page = 1; page <= 100; page++)
    for (let i = 0; i < 2; i++) warnings.add('no_letters', 'x'.repeat(400), page);
  const all = warnings.all();
  expect(all).toHaveLength(50);
  expect(all[0]).toEqual({ code: 'no_letters', detail: 'x'.repeat(300), page: 1 });
  expect(all[49]).toEqual({ code: 'more', detail: '51 more warnings are not shown' });
});
