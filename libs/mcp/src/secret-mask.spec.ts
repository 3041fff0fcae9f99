import { describe, expect, it } from '@jest/globals';
import type { McpServerConfig } from '#agent';
import { SecretMask } from './secret-mask.js';

const maskOf = (serverUrl: string, auth?: McpServerConfig['auth']) =>
  new SecretMask({ serverName: 's', serverUrl, ...(auth ? { auth } : {}) });
const bearer = { type: 'bearer', token: 'to.k+en"1' } as const;

describe('a text of a server', () => {
  it('loses the token in every spelling', () => {
    const mask = maskOf('https://mcp.example/mcp', bearer);
    expect(
      mask.clean(`to.k+en"1 ${JSON.stringify('to.k+en"1')} ${encodeURIComponent('to.k+en"1')} tokken"1`),
    ).toBe('*** "***" *** tokken"1');
  });

  it.each([
    [
      'https://mcp.example/mcp',
      'see https://mcp.example/mcp/ and https://mcp.example/docs',
      'see ***/ and https://mcp.example/docs',
    ],
    ['https://mcp.example/', 'at https://mcp.example and https://MCP.example/docs', 'at *** and ***docs'],
    ['http://10.0.0.1:8080/mcp', 'ECONNREFUSED 10.0.0.1:8080', 'ECONNREFUSED ***'],
    ['https://x.example/s/OGY3ZmQ1/mcp?apiKey=Abc12345', 'key Abc12345 of OGY3ZmQ1', 'key *** of ***'],
    ['https://x.example/mcp?key=correcthorse&version=beta&pwd=abc', 'correcthorse beta abc', '*** beta ***'],
    ['https://x.example/mcp?key=ab+cd/ef==', 'ab cd/ef==, ab+cd/ef==', '***, ***'],
    ['https://x.example/mcp?key=ab+cd%2Fef', 'ab cd/ef, ab+cd/ef, ab+cd%2Fef', '***, ***, ***'],
    ['https://x.example/mcp?v=Tok+en%2F4711', 'Tok en/4711, Tok+en/4711', '***, ***'],
    ['https://x.example/s/OGY3%3DZmQ1/mcp', 'OGY3=ZmQ1 and OGY3%3DZmQ1', '*** and ***'],
    ['https://me:pass@x.example/mcp', 'Basic bWU6cGFzcw== of me, bWU6cGFzcw', 'Basic *** of me, ***'],
    ['https://tok-en@x.example/mcp', 'Basic dG9rLWVuOg== is tok-en', 'Basic *** is ***'],
    ['https://me:Passw0rd%21@x.example/mcp', 'Passw0rd! and Passw0rd%21', '*** and ***'],
  ])('loses the address %s', (url, text, cleaned) => {
    expect(maskOf(url).clean(text)).toBe(cleaned);
  });

  it('is cut, where it tells of a failure at length', () => {
    const mask = maskOf('https://mcp.example/mcp', bearer);
    const told = mask.cleanError(`${'x '.repeat(4_998)}to.k+en"1 ${'y '.repeat(9_000)}`);
    expect(told).toHaveLength(10_001);
    expect(told).toMatch(/x \*\*\* …$/);
  });

  it('loses the host, too, when it tells of a failure, and what looks like any secret', () => {
    const mask = maskOf('https://mcp.example/mcp');
    expect(mask.cleanError('getaddrinfo ENOTFOUND mcp.example, Bearer abc')).toBe(
      'getaddrinfo ENOTFOUND ***, Bearer ***',
    );
    expect(mask.clean('mail to info@mcp.example')).toBe('mail to info@mcp.example');
  });

  it('is searched for them in JSON, however deep that is', () => {
    const mask = maskOf('https://mcp.example/mcp', bearer);
    let deep: unknown = { a: [1, { 'a to.k+en"1': null }] };
    for (let n = 0; n < 50_000; n++) deep = [deep];
    expect(mask.holdsWithin(deep)).toBe(true);
    expect(mask.holdsWithin({ a: ['token', null, 1, true], b: {} })).toBe(false);
    expect(maskOf('https://mcp.example/mcp', { type: 'bearer', token: '4711' }).holdsWithin([4711])).toBe(
      true,
    );
  });

  it.each([
    ['https://x.example/?t=to.k+en%221', true],
    ['https://x.example/?t=to.k%2Ben%221', true],
    ['https://x.example/?t=%74%6f.k%2Ben%221&broken=%ff', true],
    ['https://x.example/?t=to.k%252Ben%2522'.concat('1'), true],
    ['https://mcp.example/sign?in=OGY3ZmQ1', true],
    ['https://mcp.example/sign', false],
    ['https://mcp.example/s/', false],
  ])('is a link that holds a secret: %s, %p', (link, isOne) => {
    expect(maskOf('https://mcp.example/s/OGY3ZmQ1/mcp', bearer).linkHolds(link)).toBe(isOne);
  });

  it('that means something to the server alone may hold parts of its address, and no credentials', () => {
    const mask = maskOf('http://10.0.0.1:8080/agents/agent-12?key=abcd', bearer);
    expect(mask.opaqueHolds('http://10.0.0.1:8080/agents/agent-12/tasks/abcd1')).toBe(false);
    for (const text of ['{"t":"to.k+en\\"1"}', 'a to.k+en"1', 'to%2Ek%2Ben%221'])
      expect(mask.opaqueHolds(text)).toBe(true);
  });

  it('stays as it is otherwise', () => {
    const text = 'a mcp and an example of it';
    expect(maskOf('https://mcp.example/mcp', { type: 'bearer', token: 'a' }).clean(text)).toBe(text);
  });
});
