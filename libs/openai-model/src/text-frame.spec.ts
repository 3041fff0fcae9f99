import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TextFrame } from './text-frame.js';

const chunk = (content: string, more: object = {}) =>
  JSON.stringify({
    id: 'c',
    created: 17,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
    ...more,
  });

const learnt = (text: string, data = chunk(text)) => {
  const frame = new TextFrame();
  frame.learn(data, text);
  return frame;
};

describe('the frame of text chunks', () => {
  it('spares parsing a chunk that differs in its text only', () => {
    expect(learnt('Hello').textOf(chunk(' wörld 😀'))).toBe(' wörld 😀');
    const spaced = '{"choices": [{"delta": {"content": "a"}, "finish_reason": null}]}';
    expect(learnt('a', spaced).textOf(spaced.replace('"a"', '"b"'))).toBe('b');
  });

  it('is not sure about any other', () => {
    const frame = learnt('Hello');
    expect(frame.textOf(chunk('a "quote"'))).toBeUndefined();
    expect(frame.textOf(chunk('a\nline'))).toBeUndefined();
    expect(frame.textOf(chunk(''))).toBeUndefined();
    expect(frame.textOf(chunk('a', { usage: {} }))).toBeUndefined();
    expect(frame.textOf(chunk('a').replace('null', '"stop"'))).toBeUndefined();
    expect(frame.textOf(chunk('a').replace('}', ',"role":"x"}'))).toBeUndefined();
    expect(frame.textOf('[DONE]')).toBeUndefined();
  });

  it('does not learn from a text that stands there twice', () => {
    for (const text of ['c', 'm', 'content']) expect(learnt(text).textOf(chunk('other'))).toBeUndefined();
  });

  it('gives up on a server whose chunks never agree', () => {
    const frame = new TextFrame();
    for (let at = 0; at < 8; at++) {
      frame.learn(chunk('Hello', { at }), 'Hello');
      expect(frame.textOf(chunk('Hello', { at: at + 1 }))).toBeUndefined();
    }
    frame.learn(chunk('Hello'), 'Hello');
    expect(frame.textOf(chunk('Hello'))).toBeUndefined();
  });

  it('says what parsing would say', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (first, second) => {
        const text = learnt(first).textOf(chunk(second));
        if (text !== undefined) expect(text).toBe(second);
      }),
      { numRuns: 2000 },
    );
  });
});
