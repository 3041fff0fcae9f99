import { describe, expect, it } from '@jest/globals';
import { hideSecrets } from './hide-secrets.js';

const SECRET = 'se"cr\\et/9f3e+7Q';
const callback = {
  url: 'https://example.org/hooks/T0K3NPART/in?t=token%20in%20url',
  headers: {
    'x-key': SECRET,
    authorization: `Basic ${Buffer.from('me:pass word 1').toString('base64')}`,
  },
};

describe('what a receiver answered', () => {
  it.each([
    ['as it is', `you sent ${SECRET}!`, 'you sent ***!'],
    ['inside JSON', JSON.stringify({ key: SECRET }), '{"key":"***"}'],
    ['inside JSON with \\/', JSON.stringify({ key: SECRET }).replaceAll('/', '\\/'), '{"key":"***"}'],
    [
      'inside JSON inside JSON',
      JSON.stringify({ sent: JSON.stringify({ key: SECRET }) }),
      '{"sent":"{\\"key\\":\\"***\\"}"}',
    ],
    ['inside a URL', `see /log?key=${encodeURIComponent(SECRET)}&n=1`, 'see /log?key=***&n=1'],
    ['of the URL, decoded', 'param t is token in url.', 'param t is ***.'],
    ['of its path', 'no hook T0K3NPART here', 'no hook *** here'],
    ['of Basic, taken apart', 'user me, word "pass word 1"', 'user me, word "***"'],
    ['cut off at the end', `you sent ${SECRET.slice(0, 9)}`, 'you sent ***'],
  ])('holds no secret that was sent: %s', (_, text, cleaned) => {
    expect(hideSecrets(text, callback)).toBe(cleaned);
  });

  it.each([
    [
      'of the query, as it came',
      'https://example.org/in?n=1&t=ab+cd/ef12==',
      'no ab+cd/ef12== here',
      'no *** here',
    ],
    ['of the query, as it was read', 'https://example.org/in?t=ab%2Bcd%2Fef12', 'no ab+cd/ef12', 'no ***'],
    ['of the query, as a form has it', 'https://example.org/in?t=ab+cd+ef12', 'no "ab cd ef12"', 'no "***"'],
    ['of the path, as it was read', 'https://example.org/in/ab%3Dcd%2Fef', 'no ab=cd/ef', 'no ***'],
    ['of the path, which is no text', 'https://example.org/in/ab%FFcdef', 'no ab%FFcdef', 'no ***'],
  ])('holds nothing %s', (_, url, text, cleaned) => {
    expect(hideSecrets(text, { url, headers: {} })).toBe(cleaned);
  });

  it('holds no secret that stands on a page', () => {
    const headers = { 'x-key': `a<b>&"c'd` };
    const text = '<p>wrong key: a&lt;b&gt;&amp;&quot;c&#39;d</p>';
    expect(hideSecrets(text, { url: 'https://example.org/', headers })).toBe('<p>wrong key: ***</p>');
  });

  it('is kept as it is where nothing of it is a secret', () => {
    const text = '{"error":"no such event","hooks":3}';
    expect(hideSecrets(text, callback)).toBe(text);
    expect(hideSecrets('', callback)).toBe('');
  });
});
