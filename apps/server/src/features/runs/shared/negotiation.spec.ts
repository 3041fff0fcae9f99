import { expect, test } from '@jest/globals';
import { wantsJson } from './negotiation.js';

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['text/event-stream', false],
  ['application/json, text/event-stream', false],
  ['application/json, text/plain, */*', false],
  ['application/json, text/plain', true],
  ['application/json, text/*', false],
  ['application/*', false],
  // RFC 9110, 12.5.1
  ['application/json, text/event-stream;q=0.5', true],
  ['application/json;q=0.5, text/event-stream', false],
  ['application/json, */*;q=0.1', true],
  ['application/json;q=0.1, */*', false],
  ['application/json;q=0', false],
  ['application/json;q=0, text/event-stream;q=0', false],
  ['application/json;q=0.3, text/event-stream;q=0, */*', true],
  ['application/json;q=0.3, text/*;q=0.2, */*', true],
  ['application/json;q=high', true],
])('Accept: %s', (accept, isJson) => {
  expect(wantsJson(accept)).toBe(isJson);
});
