import { describe, expect, it } from '@jest/globals';
import { formatTraceparent, parseTraceparent } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('traceparent', () => {
  it('names trace, span and whether it is recorded', () => {
    const parsed = { traceId: TRACE, spanId: SPAN, isSampled: true };
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(parsed);
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...parsed, isSampled: false });
    expect(formatTraceparent(parsed)).toBe(`00-${TRACE}-${SPAN}-01`);
  });

  it('of a later version is read as far as this one goes', () => {
    expect(parseTraceparent(`01-${TRACE}-${SPAN}-01-what-comes-then`)?.traceId).toBe(TRACE);
  });

  it.each([
    ['nothing', undefined],
    ['several', [`00-${TRACE}-${SPAN}-01`]],
    ['an empty text', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['more than version 00 has', `00-${TRACE}-${SPAN}-01-x`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace that is too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ])('is not what %s is', (_, text) => {
    expect(parseTraceparent(text)).toBeNull();
  });
});
