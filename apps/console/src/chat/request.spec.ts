import { describe, expect, test } from '@jest/globals';
import { DEFAULTS, bodyOf, errorOf, parsed } from './request.js';

describe('the request of a chat', () => {
  test('says what the form holds, and nothing of what is left empty', () => {
    expect(bodyOf('hi', DEFAULTS)).toEqual({
      message: 'hi',
      mode: 'base',
      streaming_tokens: true,
      background: true,
    });
    const options = {
      ...DEFAULTS,
      mode: 'max' as const,
      system: 'Be kind.',
      rules: 'one\n\n  two ',
      isStreaming: false,
      callbackUrl: 'https://shop.example/hook',
      onBusy: 'steer' as const,
      others: { budget: '0.5', callback: { headers: { a: 'b' } } },
    };
    expect(bodyOf('hi', options)).toEqual({
      message: 'hi',
      mode: 'max',
      system: 'Be kind.',
      rules: ['one', 'two'],
      callback: { url: 'https://shop.example/hook', headers: { a: 'b' } },
      on_busy: 'steer',
      budget: '0.5',
      background: true,
    });
  });

  test('is the same as JSON, there and back', () => {
    const body = {
      message: 'hi',
      mode: 'flash',
      system: 's',
      rules: ['a', 'b'],
      streaming_tokens: true,
      callback: { url: 'https://a.example', headers: { b: 'c' } },
      on_busy: 'reject',
      approvals: { default: 'ask' },
      mcp_servers: [{ serverName: 'x', serverUrl: 'https://x.example' }],
    };
    const { message, options } = parsed(JSON.stringify(body));
    expect(bodyOf(message, options)).toEqual({ ...body, background: true });
  });

  test('keeps what the form cannot hold, so that the service says what is wrong with it', () => {
    const { message, options } = parsed('{"message":1,"mode":"odd","rules":["a\\nb"],"nonsense":true}');
    expect(message).toBe('');
    expect(bodyOf(message, options)).toMatchObject({
      message: 1,
      mode: 'odd',
      rules: ['a\nb'],
      nonsense: true,
    });
    for (const text of ['', '[]', '"x"', '{']) expect(() => parsed(text)).toThrow(SyntaxError);
  });

  test('has what is wrong at its field', () => {
    const errors = [
      { path: 'callback.url', message: 'must be an address' },
      { path: 'rules[0]', message: 'too long' },
      { path: 'rules[1]', message: 'empty' },
      { path: 'nonsense', message: 'is not known' },
    ];
    expect(errorOf(errors, 'callback')).toBe('must be an address');
    expect(errorOf(errors, 'rules')).toBe('too long; empty');
    expect(errorOf(errors, 'mode')).toBe(null);
  });
});
